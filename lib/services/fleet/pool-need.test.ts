import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { CLOSED, cy, person } from '@/testenv/timed'
import { recordAudit } from '../audit/record'
import { NOT_HELD } from '../changes/let-go-outside'
import { savePolicy } from '../policies/save-policy'
import { needsYou } from './needs-you'

useTestDatabase()

const POOL = 'MachineConfigPool'
const DAY = 86_400_000
const viewer = person('vi', 'viewer')
const outcome = { counts: { 'in-place': 2 }, created: 0, deleted: 0, headline: '' }
const tomorrow = new Date(Date.now() + DAY).toISOString().slice(0, 10)

/** Held and approved; its nodes' first certificate expires in so many days. */
async function approved(days: number, more: object = {}) {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'anvil', server: '' } })
  const [id, certExpiry] = [randomUUID(), new Date(Date.now() + days * DAY)]
  const about = { id, clusterId, name: 'worker', resourceVersion: '1' }
  const pool = {
    paused: true,
    pausedSince: new Date(Date.now() - 2_100_000),
    state: 'behind',
    severity: 60,
    machines: 2,
  }
  await db().configPool.create({ data: { ...about, ...pool, certExpiry, sentence: 'Paused and behind.' } })
  await db().group.create({
    data: {
      ...{ ...about, kind: POOL, apiVersion: 'machineconfiguration.openshift.io/v1', namespace: '', governed: true },
      ...{ workloadCluster: 'anvil', createdAt: new Date(), held: 'waiting', heldSince: new Date() },
    },
  })
  await db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: POOL, namespace: '', groupName: 'worker', workloadCluster: 'anvil' },
      ...{ fingerprint: 'f', summary: '3 files', resourceVersion: '1', machines: 2, state: 'waiting', heldBy: 'latch' },
      ...{ changeSet: { pairs: [], fields: [] }, dueMode: 'in-place', ...more },
      outlook: { only: 'in-place', inPlace: outcome, replace: outcome, uncovered: [] },
      approvals: { create: { fingerprint: 'f', mode: 'in-place', actorId: 'ada', actorName: 'Ada' } },
    },
  })
  return certExpiry.toISOString().slice(0, 10)
}
const needs = async () => (await needsYou(viewer, {})).filter(({ kind }) => kind !== 'watch')

beforeEach(async () => {
  await db().managementCluster.deleteMany()
  await db().rolloutPolicy.deleteMany()
})

test.each([
  [5, 'expires'],
  [-1, 'expired'],
])(
  'a pool held although its certificate ends in %i days is dangerous for that, and says when it goes',
  async (days, ends) => {
    await savePolicy(cy, { name: 'nights', spec: { select: { kinds: [POOL] }, ...CLOSED } })
    const day = await approved(days, { holdLevel: 3 })
    const [need, ...more] = await needs()
    expect(more).toEqual([])
    expect(need).toMatchObject({ kind: 'approval', dangerous: true })
    expect(need!.sentence).toMatch(
      `Its pool has been paused for 35 minutes, and a certificate that its nodes trust ${ends} on ${day}: that is dangerous. Approved, goes ${tomorrow}`,
    )
  },
)

test('a pool whose nodes are all up to date is named where it is paused over a rotation, and as dangerous near its end', async () => {
  const day = await approved(20)
  await db().change.deleteMany()
  await db().configPool.updateMany({ data: { state: 'paused', sentence: 'Paused.' } })
  const [need, ...more] = await needs()
  expect(more).toEqual([])
  expect(need).toMatchObject({ kind: 'pool', sentence: 'Paused.' })
  expect(need).not.toHaveProperty('dangerous')
  expect(need!.detail).toBe(`A certificate that its nodes trust expires on ${day}, and is rotated before.`)
  for (const [days, ends] of [
    [9, 'expires'],
    [-1, 'expired'],
  ] as const) {
    const certExpiry = new Date(Date.now() + days * DAY)
    await db().configPool.updateMany({ data: { certExpiry } })
    expect(await needs()).toMatchObject([
      {
        dangerous: true,
        detail: `That is dangerous: a certificate that its nodes trust ${ends} on ${certExpiry.toISOString().slice(0, 10)}.`,
      },
    ])
  }
  // Nothing is rotated there, or nobody misses it.
  for (const data of [{ certExpiry: new Date(Date.now() + 90 * DAY) }, { certExpiry: null }, { machines: 0 }]) {
    await db().configPool.updateMany({ data: { certExpiry: new Date(), machines: 2, ...data } })
    expect(await needs()).toEqual([])
  }
})

test('what waits for approval on a pool that is paused over a rotation names the certificate', async () => {
  const day = await approved(20, { dueMode: null, holdLevel: 2 })
  await db().approval.deleteMany()
  const [need, ...more] = await needs()
  expect(more).toEqual([])
  expect(need).toMatchObject({ kind: 'approval' })
  expect(need!.detail).toBe(
    `3 files, 2 machines. A certificate that its nodes trust expires on ${day}, and is rotated before.`,
  )
  await db().configPool.updateMany({ data: { paused: false } })
  expect((await needs())[0]!.detail).toBe('3 files, 2 machines')
})

test('what is paused over a rotation, and approved in a wave that waits, says that it is approved', async () => {
  const waves = [{ name: 'canary', select: { workloadClusters: ['tidal'] } }]
  await savePolicy(cy, { name: 'waved', spec: { select: { kinds: [POOL] }, waves } })
  const { id: policyId } = await db().rolloutPolicy.findFirstOrThrow()
  const why = 'no group in canary wants it now'
  const wave = { policyId, version: 1, name: 'rest', index: 1, of: 2, state: 'waits', why, needsPerson: true }
  await approved(51, { wave })
  const [need, ...more] = await needs()
  expect(more).toEqual([])
  expect(need).toMatchObject({ kind: 'pool', sentence: 'Paused and behind.' })
  expect(need!.detail).toMatch(`Its configuration is approved, and waits in its wave rest: ${why}. A certificate that`)
})

test('what is approved and goes before the certificate expires is left out, unless it stays below somebody’s own pause', async () => {
  await savePolicy(cy, { name: 'nights', spec: { select: { kinds: [POOL] }, ...CLOSED } })
  await approved(51)
  expect(await needs()).toEqual([])
  await db().group.updateMany({ data: { paused: true } })
  const [need, ...more] = await needs()
  expect(more).toEqual([])
  expect(need!.detail).toMatch(
    /^Its configuration is approved, but somebody paused the pool themselves, and has to take that away\. A certificate/,
  )
})

test('a degraded node of a pool that is being updated is said once: by its change, else by its pool, with its own age', async () => {
  await approved(51)
  const { id, clusterId } = await db().configPool.findFirstOrThrow()
  const lastTransitionTime = '2026-01-02T03:04:05.000Z'
  const conditions = ['NodeDegraded', 'Degraded'].map((type) => ({ type, status: 'True', lastTransitionTime }))
  await db().configPool.update({ where: { id }, data: { state: 'degraded', sentence: 'w-0: full.', conditions } })
  const node = { clusterId, pool: 'worker', name: 'w-0', phase: 'degraded', sentence: 'full.' }
  const stuckFrom = new Date(lastTransitionTime)
  await db().configNode.create({ data: { id: randomUUID(), ...node, stuckFrom } })
  const about = {
    clusterId,
    provider: 'machine.openshift.io',
    namespace: 'm',
    workloadCluster: 'anvil',
    phase: 'Running',
  }
  const machine = { ...about, name: 'w-0', node: 'w-0', state: 'failed', severity: 80, sentence: 'full.' }
  await db().machine.create({
    data: { id: randomUUID(), ...machine, resourceVersion: '1', createdAt: new Date(), changedAt: new Date() },
  })
  await db().workloadCluster.create({
    data: { clusterId, name: 'anvil', namespace: '', provider: 'openshift', id: randomUUID() } as never,
  })
  const [pool, ...more] = await needs()
  expect(more).toEqual([])
  expect(pool).toMatchObject({ kind: 'pool', sentence: 'w-0: full.', since: lastTransitionTime })

  await db().change.updateMany({ data: { state: 'stuck', stuckReason: 'w-0: full.' } })
  expect((await needs()).map(({ kind, sentence }) => [kind, sentence])).toEqual([['stuck', 'Stuck: w-0: full.']])

  // Also of what nobody approved.
  const { id: changeId, groupName } = await db().change.findFirstOrThrow()
  const target = { kind: POOL, id: changeId, name: groupName }
  await db().$transaction((tx) => recordAudit(tx, cy, { action: NOT_HELD, target }))
  expect((await needs()).map(({ kind }) => kind)).toEqual(['unapproved'])

  // A second one, of which its change says nothing.
  const other = { ...node, name: 'w-9', phase: 'degraded', sentence: 'drifted.' }
  await db().configNode.create({ data: { id: randomUUID(), ...other, stuckFrom } })
  await db().machine.updateMany({ data: { node: 'w-9' } })
  expect((await needs()).map(({ kind, detail }) => [kind, detail])).toContainEqual(['pool', '2 nodes are stuck.'])

  // The list of machines that failed, to which the need of two others leads, has it as well.
  for (const name of ['x-1', 'x-2'])
    await db().machine.create({
      data: {
        ...{ ...machine, id: randomUUID(), name, node: null, error: 'No capacity' },
        ...{ resourceVersion: '1', createdAt: new Date(), changedAt: new Date() },
      },
    })
  expect((await needs()).find(({ kind }) => kind === 'failed')).toMatchObject({
    sentence: '2 machines have failed',
    detail: 'No capacity. The list has one more, whose node is degraded: that stands with its pool.',
  })
})
