import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ada } from '@/testenv/timed'
import { getChange } from './get-change'

useTestDatabase()

async function stuckChange(more: Partial<Prisma.ChangeUncheckedCreateInput> = {}) {
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: randomUUID(), server: 'https://mast', state: 'connected' },
  })
  const id = randomUUID()
  await db().configPool.create({ data: { id, clusterId, name: 'worker', resourceVersion: '9' } })
  return db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker' },
      ...{ workloadCluster: 'mast', fingerprint: 'f', summary: 's', changeSet: {}, outlook: {}, heldBy: 'latch' },
      ...{ resourceVersion: '9', state: 'waiting', machines: 3, ...more },
    },
  })
}

test('of a change of a pool those of its nodes are known that are stuck, whatever they began with', async () => {
  const { id, clusterId } = await stuckChange()
  const minutes = (n: number) => new Date(Date.now() + n * 60_000)
  for (const [name, stuckFrom] of [
    ['hangs', minutes(-1)],
    ['drains', minutes(9)],
    ['rests', null],
  ] as const)
    await db().configNode.create({
      data: {
        ...{ id: randomUUID(), clusterId, pool: 'worker', name, phase: 'draining' },
        ...{ stuckFrom, sentence: 'It drains.' },
      },
    })
  const { machinesList } = await getChange(ada, { id })
  expect(Object.fromEntries(machinesList.map(({ name, stuck = null }) => [name, stuck]))).toEqual({
    ...{ hangs: 'It drains.', drains: null, rests: null },
  })
})

test.each([
  ['a pod that keeps it is named', [{ namespace: 'shop', pod: 'ledger-0', why: 'budget' }], /^Make room for it$/],
  ['nobody says which pod keeps it', [], /^Find the pod in the log/],
])('what to do for a node that could not be drained for an hour, where %s', async (_, holdouts, step) => {
  const said = 'failed to drain node: n1 after 1 hour. Please see machine-config-controller logs for more information'
  const sentence = `A budget keeps it. Degraded after an hour, and still tried: ${said}`
  const { id, clusterId } = await stuckChange({ state: 'stuck', stuckReason: `n1: ${sentence}.` })
  await db().configNode.create({
    data: {
      ...{ id: randomUUID(), clusterId, pool: 'worker', name: 'n1', phase: 'degraded', sentence },
      ...{ hint: 'Make room for it', drain: { failing: true, holdouts } },
    },
  })
  const { stuckOn } = await getChange(ada, { id })
  expect(stuckOn).toMatchObject({ machine: 'n1', trouble: { step: expect.stringMatching(step) as string } })
  expect(/A pod stays on the node/.test(stuckOn!.trouble!.cause)).toBe(holdouts.length === 0)
})
