import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { SEEN_STORED, WAITING } from '@/lib/domain/latch/names'
import { lateHold, WENT_LATE } from './late-hold'

useTestDatabase()

const AGO = new Date(Date.now() - 3_600_000)
type Row = { verdict: string; createdAt?: Date; node?: string | null; updating?: boolean; deleting?: boolean }
const OLD: Row = { verdict: 'replace' }
const MADE: Row = { verdict: 'up-to-date' }

/** What is found of a group that wants four machines and has these. */
async function found(
  rows: Row[],
  {
    words = SEEN_STORED,
    state = 'waiting',
    kind = 'MachineDeployment',
    former = [] as Date[],
    gone = [] as string[],
  } = {},
) {
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: randomUUID(), server: 'https://127.0.0.1:1' },
  })
  const of = { clusterId, namespace: 'payments', workloadCluster: 'prod' }
  const groupId = randomUUID()
  const key = { id: groupId, apiVersion: 'v1', kind, name: 'workers', resourceVersion: '1' }
  await db().group.create({ data: { ...of, ...key, desiredReplicas: 4, createdAt: new Date() } })
  await db().machine.createMany({
    data: rows.map(({ node = 'n', ...row }, i) => ({
      ...{ ...of, id: randomUUID(), provider: 'x', name: `w-${i}`, groupKind: kind, groupName: 'workers' },
      ...{ phase: 'Running', state: 'ready', sentence: '', resourceVersion: '1', createdAt: new Date(), node, ...row },
    })),
  })
  const wanted = (detectedAt: Date) =>
    db().change.create({
      data: {
        ...{ ...of, groupId, groupKind: kind, groupName: 'workers', fingerprint: `${+detectedAt}`, state, detectedAt },
        ...{ summary: '', changeSet: {}, outlook: {}, heldBy: 'latch', machines: 4, resourceVersion: '1' },
      },
    })
  for (const at of former) await wanted(at)
  const { id } = await wanted(new Date())
  await db().machineProgress.createMany({
    data: gone.map((machineName) => ({
      ...{ changeId: id, machineId: randomUUID(), machineName, state: 'deleted', message: WENT_LATE },
    })),
  })
  return lateHold({ ...of, id, state: state as 'waiting', groupKind: kind, groupName: 'workers' }, words)
}
const NONE = { wanted: 4, there: 0, coming: 0, updating: 0, deleting: 0, gone: [] }

test('what has begun is counted, and how many there are from before of those that are wanted', async () => {
  expect(await found([OLD, OLD, OLD, OLD])).toEqual({ ...NONE, before: 4 })
  // Deleted in the race, and gone before anybody looked: nothing but the number tells of it.
  expect(await found([OLD, OLD, OLD])).toEqual({ ...NONE, before: 3 })
  expect(await found([OLD, OLD, OLD], { gone: ['w-9'] })).toEqual({ ...NONE, before: 3, gone: ['w-9'] })
  expect(await found([OLD, OLD, OLD, MADE])).toEqual({ ...NONE, before: 3, there: 1 })
  expect(await found([OLD, OLD, OLD, { ...MADE, node: null }])).toEqual({ ...NONE, before: 3, coming: 1 })
  // What is being deleted is there, and counted as such.
  expect(await found([OLD, OLD, OLD, { ...OLD, deleting: true }])).toEqual({ ...NONE, before: 4, deleting: 1 })
  expect(await found([OLD, OLD, OLD, { ...MADE, updating: true }])).toEqual({ ...NONE, before: 4, updating: 1 })
})

test('taken back: those from before are as it wants, and nobody deleted them', async () => {
  const kept = { ...MADE, createdAt: AGO }
  const former = [new Date(+AGO + 60_000)]
  expect(await found([kept, kept, kept, OLD], { former })).toEqual({ ...NONE, before: 4, there: 3 })
  expect(await found([kept, kept, MADE, OLD], { former })).toEqual({ ...NONE, before: 3, there: 3 })
})

test('nothing is said of what was held in its write, was decided, or is a pool, whose nodes are no machines', async () => {
  expect(await found([OLD], { words: WAITING })).toBeNull()
  expect(await found([OLD], { state: 'approved' })).toBeNull()
  expect(await found([], { kind: 'MachineConfigPool' })).toBeNull()
})
