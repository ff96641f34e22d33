import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities, GateState } from '@/lib/domain/capabilities'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { changeOf } from '@/lib/providers/cluster-api/changes'
import { holdOf } from '@/lib/services/changes/hold-of'
import { approveChange } from '@/lib/services/changes/approve-change'
import { annotations, as, audited, inputFor, latchedCluster, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { until } from '@/testenv/process'
import { planGroup } from './plan-group'
import { stopInPlace } from './stop'

useTestDatabase()
const at = latchedCluster()

const planned = async (held: Held, gates?: Capabilities['gates']) =>
  planGroup(await planningContext(at.clusterId, gates), { ...(await held.read()), kind: 'MachineDeployment' })

test('a hold that somebody took away by hand is not put back, whatever else keeps the group where it is', async () => {
  const held = await at.held()
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'policy' } })
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
  const free = { metadata: { annotations: { [PAUSED]: 'night shift', [HELD]: null } } }
  // By one of the few whom the guard lets.
  const { client } = (await planningContext(at.clusterId)).view
  await client.patch(MD, held.name, held.namespace, 'merge', free)
  for (const _again of [1, 2, 3]) await planned(held)
  expect(await annotations(held)).not.toHaveProperty([HELD])
  // Nobody said how: it goes on waiting for a decision.
  expect(await stateOf(held)).toBe('waiting')
  expect(await audited(held)).toEqual(['change.let-go ok'])
})

test('what began unheld, and is held then, waits for a decision', async () => {
  const held = await at.held()
  await db().change.update({ where: { id: held.change.id }, data: { state: 'running', heldBy: 'none' } })
  await planned(held)
  expect(await stateOf(held)).toBe('waiting')
  expect(await approveChange(as('approver'), inputFor(held))).toMatchObject({ state: 'accepted' })
})

test('stopped when its last machine was settling: done, and the hold that holds nothing goes', async () => {
  const held = await at.held()
  const { id } = await approveChange(as('approver'), inputFor(held))
  await db().decision.update({ where: { id }, data: { mode: 'in-place' } })
  const { source, view } = await planningContext(at.clusterId)
  const rolled = async () => (await changeOf(await held.read(), source)).pairs.length === 0
  await until('the rollout', rolled, { ms: 60_000, every: 100 })
  const { machine } = db()
  const settling = await machine.create({
    data: {
      ...{ id: randomUUID(), clusterId: at.clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace },
      ...{ workloadCluster: 'w', name: 'm-1', groupKind: 'MachineDeployment', groupName: held.name, sentence: '' },
      ...{ phase: 'Running', state: 'updating', updating: true, resourceVersion: '1', createdAt: new Date(0) },
    },
  })
  await planned(held)
  const verdict = async () => (await machine.findUniqueOrThrow({ where: { id: settling.id } })).verdict
  expect(await verdict()).toBe('in-place')
  await stopInPlace(view, 'in-place updates were switched off')
  expect(await annotations(held)).toHaveProperty([HELD])
  await machine.update({ where: { id: settling.id }, data: { state: 'ready', ready: true, updating: false } })
  // As often as it says itself that it wants to look again.
  let rounds = 0
  while ((await planned(held)) !== null && rounds < 10) rounds++
  expect(await stateOf(held)).toBe('done')
  expect(await verdict()).toBe('up-to-date')
  expect(await annotations(held)).not.toHaveProperty([HELD])
})

test('a MachineDeployment goes by the gates of the core manager alone', async () => {
  const held = await at.held()
  const [on, off] = (['on', 'off'] as const).map((state) => ({ state, how: `the gate is ${state}` }))
  const gates = (core: GateState): Capabilities['gates'] => ({
    ...{ inPlaceUpdates: off!, runtimeSdk: on! },
    ofKind: { MachineDeployment: [core, on!], KubeadmControlPlane: [off!, on!] },
  })
  const outlook = async () =>
    JSON.stringify((await db().change.findUniqueOrThrow({ where: { id: held.change.id } })).outlook)
  await planned(held, gates(off!))
  expect(await outlook()).toContain('In-place updates are off')
  await planned(held, gates(on!))
  expect(await outlook()).not.toContain('In-place updates are off')

  const group = await held.read()
  const free = { ...group, metadata: { ...group.metadata, annotations: {} } }
  const holds = async (core: GateState, kind: string) =>
    holdOf((await planningContext(at.clusterId, gates(core))).view.capabilities, { ...free, kind }, true)
  expect(await holds(on!, 'MachineDeployment')).toBe('gate')
  expect(await holds(off!, 'MachineDeployment')).toBe('none')
  expect(await holds(on!, 'KubeadmControlPlane')).toBe('none')
})
