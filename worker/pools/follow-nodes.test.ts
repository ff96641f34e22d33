import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Change } from '@/lib/db/generated/client'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { overLimit } from '@/lib/services/changes/failing'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { rulesFor } from '@/lib/services/policies/rules-for'
import { lockedInOrder, PROGRESS } from '@/testenv/locked'
import { bo, cy, HOUR } from '@/testenv/timed'
import { followNodes, keepNodes } from './follow-nodes'

useTestDatabase()

/** Two nodes took up what they were to an hour ago, and were not back since. By name they come the other way round than by id. */
async function taken(): Promise<{ change: Change; nodes: string[] }> {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const groupId = randomUUID()
  const config = { currentConfig: 'r2', desiredConfig: 'r2' }
  await db().configPool.create({
    data: { id: groupId, clusterId, name: 'worker', machines: 2, desiredConfig: 'r2', resourceVersion: '1' },
  })
  const nodes = [randomUUID(), randomUUID()].toSorted().toReversed()
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker', fingerprint: 'f' },
      ...{ workloadCluster: 'm', state: 'running', summary: 's', outlook: {}, heldBy: 'latch', resourceVersion: '1' },
      ...{ machines: 2, settling: true, changeSet: { pairs: [], fields: [] } },
    },
  })
  const ago = new Date(Date.now() - HOUR)
  const done = { changeId: change.id, state: 'done', predicted: 'in-place', startedAt: ago, finishedAt: ago }
  for (const [i, id] of nodes.entries()) {
    const node = { id, clusterId, pool: 'worker', name: `n${i}`, ...config, phase: 'updated', unavailable: true }
    await db().configNode.create({ data: node })
    await db().machineProgress.create({ data: { ...done, machineId: id, machineName: node.name } })
  }
  return { change, nodes }
}

const WORK: [string, (change: Change) => Promise<unknown>][] = [
  [
    'followed, as they are back',
    async (change) => {
      await db().configNode.updateMany({ where: { clusterId: change.clusterId }, data: { unavailable: false } })
      return followNodes(1n, change, 'r2')
    },
  ],
  ['looked at while their pool is held', (change) => keepNodes(1n, change.id, change.groupId, 'r3', null)],
  [
    'marked as not back in time',
    (change) =>
      db().$transaction(async (tx) => {
        // Whichever way they are found.
        await tx.$executeRaw`SET LOCAL enable_indexscan = off`
        return overLimit(tx, [{ ...change, rules: await rulesFor(tx, change) }])
      }),
  ],
  [
    'counted as done',
    ({ id: changeId }) => acceptFailures(bo, { changeId, reason: 'x', again: true, asDone: true, stoppedAt: null }),
  ],
]

test.each(WORK)(
  'nodes of a pool are %s: in the order in which everybody does that, so that no two wait for each other',
  async (_, work) => {
    const { change, nodes } = await taken()
    const spec = { select: { names: ['worker'] }, stopsAt: 1, readyWithin: '15m' }
    await savePolicy(cy, { name: `p-${randomUUID()}`, spec })
    await lockedInOrder(nodes, () => work(change), PROGRESS)
    const rows = await db().machineProgress.findMany({ where: { changeId: change.id } })
    const told = rows.filter((row) => row.readyAt ?? row.failedAt ?? (row.state !== 'done' ? row.state : null))
    expect(told).toHaveLength(2)
  },
)

test('how nodes fare is written by the owner of the cluster alone', async () => {
  const { change } = await taken()
  const { clusterId, groupId, id: changeId } = change
  const progress = () => db().machineProgress.findMany({ where: { changeId }, orderBy: { machineId: 'asc' } })
  const lease = { owner: 'another', fence: 2n, until: new Date(Date.now() + HOUR) }
  await db().clusterLease.create({ data: { clusterId, ...lease } })
  const gone = { changeId, machineId: randomUUID(), machineName: 'gone', state: 'waiting' }
  await db().machineProgress.create({ data: gone })
  await db().configNode.updateMany({ where: { clusterId }, data: { unavailable: false } })
  const before = await progress()
  await expect(followNodes(1n, change, 'r2')).rejects.toThrow('Another worker owns')
  await expect(keepNodes(1n, changeId, groupId, 'r3', null)).rejects.toThrow('Another worker owns')
  expect(await progress()).toEqual(before)
  await followNodes(2n, change, 'r2')
  expect((await progress()).filter(({ readyAt }) => readyAt)).toHaveLength(2)
  await keepNodes(2n, changeId, groupId, 'r3', null)
  expect((await progress()).filter(({ machineName }) => machineName === 'gone')).toEqual([])
})

test('a node that is deleted while it waits for its turn counts no more; one that is in another pool, or in none, may come back', async () => {
  const { change } = await taken()
  const { clusterId, id: changeId } = change
  const waits = { changeId, state: 'waiting', predicted: 'in-place' }
  const away = randomUUID()
  const node = { id: away, clusterId, pool: '', name: 'away', phase: 'updated' }
  await db().configNode.create({ data: { ...node, currentConfig: 'r1', desiredConfig: 'r1' } })
  for (const [machineId, machineName] of [
    [away, 'away'],
    [randomUUID(), 'deleted'],
  ] as const)
    await db().machineProgress.create({ data: { ...waits, machineId, machineName } })
  await followNodes(1n, change, 'r2')
  const rows = await db().machineProgress.findMany({ where: { changeId }, orderBy: { machineName: 'asc' } })
  expect(rows.map(({ machineName }) => machineName)).toEqual(['away', 'n0', 'n1'])
})
