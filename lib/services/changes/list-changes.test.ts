import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { systemCtx, type Ctx } from '../context'
import { getChange } from './get-change'
import { listChanges } from './list-changes'

useTestDatabase()

const viewer: Ctx = { actor: { kind: 'user', id: 'v', name: 'Vi', role: 'viewer' } }
const clusters: string[] = []
let n = 0

async function row(state: string, more: { clusterId?: string; groupName?: string; at?: Date; summary?: string } = {}) {
  n += 1
  const { clusterId = clusters[0]!, groupName = `g${n}`, at = new Date(1_700_000_000_000 + n * 1000), summary } = more
  return db().change.create({
    data: {
      ...{ clusterId, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'fleet', groupName },
      ...{ workloadCluster: 'shop', fingerprint: 'a'.repeat(64), state, summary: summary ?? `change ${n}` },
      ...{ changeSet: { pairs: [], fields: [] }, outlook: {}, heldBy: 'latch', resourceVersion: '1', machines: 3 },
      detectedAt: at,
    },
  })
}

beforeAll(async () => {
  for (const name of ['east', 'west'])
    clusters.push((await db().managementCluster.create({ data: { name, server: 'https://127.0.0.1:1' } })).id)
  const together = new Date(1_600_000_000_000)
  for (let i = 0; i < 5; i++) await row('waiting', { at: together })
  await row('rejected')
  for (const state of ['approved', 'running', 'stuck', 'done', 'superseded', 'reverted']) await row(state)
  await row('waiting', { clusterId: clusters[1], groupName: 'Edge-100%_a', summary: 'v1.34.1 → v1.34.2' })
})

test('pages by key: everything once, newest first, also where many came in the same moment', async () => {
  const seen: { id: string; at: string }[] = []
  let cursor: string | undefined
  do {
    const page = await listChanges(viewer, { tab: 'waiting', limit: 2, cursor })
    expect(page.changes.length).toBeLessThanOrEqual(2)
    seen.push(...page.changes.map(({ id, detectedAt }) => ({ id, at: detectedAt })))
    cursor = page.cursor ?? undefined
  } while (cursor)
  expect(seen).toHaveLength(7)
  expect(new Set(seen.map((s) => s.id)).size).toBe(7)
  expect(seen.map((s) => s.at)).toEqual([...seen.map((s) => s.at)].sort().reverse())
})

test('the tabs count what they hold, under the same filter, whatever tab is open', async () => {
  expect((await listChanges(viewer, {})).counts).toEqual({ waiting: 7, running: 3, done: 3 })
  const west = await listChanges(viewer, { tab: 'done', cluster: clusters[1] })
  expect(west).toMatchObject({ changes: [], cursor: null, counts: { waiting: 1, running: 0, done: 0 } })
})

test.each([
  ['edge', 1],
  ['EDGE-100%_', 1],
  ['→ v1.34.2', 1],
  ['shop', 7],
  ['%', 1],
  ['_', 1],
  ["' OR 1=1 --", 0],
])('the search %j is taken literally', async (q, count) => {
  expect((await listChanges(viewer, { q })).changes).toHaveLength(count)
})

test.each([
  [{ cursor: 'x' }],
  [{ cursor: `1.${'-'.repeat(36)}` }],
  [{ cursor: `999999999999999.${randomUUID()}` }],
  [{ limit: 0 }],
  [{ limit: 201 }],
  [{ tab: 'all' }],
  [{ cluster: 'east' }],
  [{ q: 'x'.repeat(201) }],
])('%j is answered with a sentence, not with a failure of the database', async (input) => {
  const answer = await listChanges(viewer, input).catch((error: unknown) => error)
  if (answer instanceof Error) expect(answer).toMatchObject({ name: 'ServiceError', code: 'invalid' })
  else expect(answer).toHaveProperty('changes')
})

test('one change comes with its machines, decisions and what happened when', async () => {
  const change = await row('running', { groupName: 'whole' })
  const machine = (name: string) => ({
    ...{ id: randomUUID(), clusterId: clusters[0]!, provider: 'cluster.x-k8s.io', namespace: 'fleet', name },
    ...{ workloadCluster: 'shop', groupKind: 'MachineDeployment', groupName: 'whole', phase: 'Running' },
    ...{ state: 'ready', sentence: 'Ready.', resourceVersion: '1', createdAt: new Date() },
  })
  const there = machine('m-there')
  await db().machine.create({ data: there })
  const progress = { changeId: change.id, startedAt: new Date(1_700_100_000_000) }
  await db().machineProgress.createMany({
    data: [
      { ...progress, machineId: there.id, machineName: 'm-there', state: 'updating' },
      {
        ...{ ...progress, machineId: randomUUID(), machineName: 'm-gone', state: 'deleted' },
        finishedAt: new Date(1_700_100_060_000),
      },
    ],
  })
  await db().decision.create({
    data: {
      ...{ changeId: change.id, fingerprint: change.fingerprint, mode: 'in-place', state: 'seen', reason: 'patch day' },
      ...{ actorId: 'a', actorName: 'Ada', recordedAt: new Date(1_700_099_000_000) },
      ...{ acceptedAt: new Date(1_700_099_001_000), seenAt: new Date(1_700_099_002_000) },
    },
  })
  const found = await getChange(viewer, { id: change.id })
  expect(found).toMatchObject({ id: change.id, clusterName: 'east', state: 'running', decision: { mode: 'in-place' } })
  expect(found.machinesList.map((m) => `${m.name} ${m.state} ${m.progress?.state}`)).toEqual([
    'm-there ready updating',
    'm-gone null deleted',
  ])
  expect(found.timeline.map((entry) => entry.text)).toEqual([
    `wanted: ${found.summary}`,
    'Ada approved in place: patch day',
    'The API server accepted it.',
    'Seen in the cluster.',
    'm-gone is being deleted',
    'm-there began to be updated in place',
    'm-gone: deleted',
  ])
})

test('an unknown change is not found, and a text that is no id is refused', async () => {
  await expect(getChange(viewer, { id: randomUUID() })).rejects.toMatchObject({ code: 'not-found' })
  await expect(getChange(viewer, { id: '1; DROP TABLE change' })).rejects.toMatchObject({ code: 'invalid' })
  await expect(listChanges(systemCtx('test'), { limit: '5' })).rejects.toMatchObject({ code: 'invalid' })
})
