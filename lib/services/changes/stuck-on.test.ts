import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { systemCtx } from '../context'
import { getChange } from './get-change'

useTestDatabase()

/** What the page of a change says that it is stuck on, where the planner wrote this reason and its machine has this error. */
async function stuckOn(
  stuckReason: string | null,
  machine: { error: string | null; trouble?: string; words?: string },
  state = 'stuck',
  gateState = 'unregistered',
) {
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: randomUUID(), server: 'https://127.0.0.1:1', gateState },
  })
  const group = { groupKind: 'MachineDeployment', groupName: 'workers', namespace: 'payments', workloadCluster: 'prod' }
  const { id } = await db().change.create({
    data: {
      ...{ clusterId, groupId: randomUUID(), ...group, fingerprint: 'a', state, stuckReason, machines: 1 },
      ...{ summary: 'v1 → v2', heldBy: 'latch', resourceVersion: '1', changeSet: { pairs: [], fields: [] } },
      outlook: { inPlace: null, replace: { counts: {}, created: 0, deleted: 0, headline: '' }, uncovered: [] },
    },
  })
  const { error, trouble = null, words: troubleWords = null } = machine
  await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId, provider: 'x', name: 'w-1', ...group, phase: 'Deleting', state: 'deleting' },
      ...{ sentence: 'Being deleted.', resourceVersion: '1', createdAt: new Date(), error, trouble, troubleWords },
    },
  })
  return (await getChange(systemCtx('test'), { id })).stuckOn
}

test('a machine’s error that is known: what to do, with the message as its controllers wrote it', async () => {
  const words = 'a disruption budget keeps shop/db-0 on its node'
  const error = 'Drain not completed yet: Pod shop/db-0: cannot evict pod'
  expect(await stuckOn(`w-1: ${words}.`, { error, trouble: 'drain-budget', words })).toMatchObject({
    ...{ machine: 'w-1', message: error },
    trouble: {
      id: 'drain-budget',
      words,
      terminal: false,
      step: expect.stringContaining('run one more replica') as string,
    },
  })
})

test('an updater that was not reached where no gate is registered: to register that comes first', async () => {
  const error = 'UpdateMachine hook failed: please check controller logs for errors'
  const failed = { error, trouble: 'in-place-hook-failed', words: 'its updater failed' }
  const first = /^Register the update gate first, on the page of the management cluster: .* Read what the updater said/
  const step = async (gateState?: string) =>
    (await stuckOn('w-1: its updater failed.', failed, 'stuck', gateState))?.trouble?.step
  expect(await step()).toMatch(first)
  expect(await step('registered')).toMatch(/^Read what the updater said/)
})

test('one that nobody knows: its words, and no advice', async () => {
  expect(await stuckOn('w-1: Odd: fell over.', { error: 'Odd: fell over' })).toEqual({
    ...{ machine: 'w-1', message: 'Odd: fell over', trouble: null },
  })
})

test('a controller’s own words about the group are looked up as well', async () => {
  const reason =
    'MachineSet w: Scaling up is blocked because: KubeadmControlPlane fleet/cp is upgrading ("ControlPlaneIsStable" preflight check failed).'
  expect(await stuckOn(reason, { error: null })).toMatchObject({
    ...{ machine: null, message: reason, trouble: { id: 'preflight-control-plane' } },
  })
})

test('nothing where nobody knows more than the reason says, or nothing is stuck', async () => {
  expect(await stuckOn('No machine has moved for 21 minutes.', { error: null })).toBeNull()
  expect(await stuckOn(null, { error: null })).toBeNull()
  expect(await stuckOn(null, { error: 'Odd' }, 'running')).toBeNull()
})
