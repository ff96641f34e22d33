import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { waiting } from '../forecast/testing/waiting'
import { plannedOf } from './planned'
import { sparesMade } from './spares-made'

useTestDatabase()
const gateOn = { state: 'on', how: '' } as const
const ON = { gates: { inPlaceUpdates: gateOn, runtimeSdk: gateOn } } as Capabilities

/** Four machines that are wanted, and one more; as the planner says it. */
async function midway() {
  const made = await waiting(['a', 'b', 'c', 'd', 'n'])
  const { id: changeId, clusterId, groupId, namespace } = made.change
  const spare = { changeId_machineId: { changeId, machineId: made.machines[4]! } }
  await db().machine.update({ where: { id: made.machines[4] }, data: { machineSet: 'new', verdict: 'up-to-date' } })
  const planning = {
    ...{ clusterId, updaters: ['u'], gate: { state: 'ok' } as never, capabilities: ON },
    look: () => ({ coverage: { uncovered: [] }, by: new Map<string, string>() }),
  }
  const changes = [{ object: 'machine' as const, path: 'version', current: 'v1.34.0', desired: 'v1.34.1' }]
  const pairs = [{ pair: { from: 'old', machines: 4, fingerprint: 'old', changes }, question: null }]
  const outlook = async (digest = 'd') =>
    (
      await plannedOf(planning, {
        ...{ owner: { uid: groupId, namespace, name: 'md', kind: 'MachineDeployment' }, replicas: 4, digest, pairs },
        ...{ fingerprint: 'f', strategy: { type: 'RollingUpdate', maxSurge: 1, maxUnavailable: 0 } },
      })
    ).outlook
  const record = (data: object) => db().machineProgress.update({ where: spare, data })
  const goes = (state: string) =>
    db().machineProgress.create({ data: { changeId, machineId: randomUUID(), machineName: 'x', state } })
  return { made, groupId, outlook, record, goes }
}

test('held in the middle with its spare there: an old machine goes for that, and nobody scaled it down', async () => {
  const { outlook, record } = await midway()
  // Whence the fifth is, nobody knows: it is no word of spares.
  expect((await outlook()).inPlace?.headline).toMatch(/1 machine would be deleted besides \(4 wanted, 5 there\)\.$/)
  await record({ state: 'created', startedAt: new Date() })
  const { inPlace, replace } = await outlook()
  expect(inPlace).toMatchObject({ counts: { 'in-place-with-spare': 3, 'up-to-date': 1 }, removed: 1, forSpares: 1 })
  expect(inPlace?.headline).toMatch(/1 old machine would be deleted for the spare that is there already\.$/)
  expect(replace).toMatchObject({ removed: 1, forSpares: 1 })
  // Made for something else that it wanted.
  expect((await outlook('another')).inPlace?.forSpares).toBeUndefined()
})

test('spares are those that were made and are there, beside as many as have gone', async () => {
  const { made, groupId, record, goes } = await midway()
  const spares = () => sparesMade(groupId, 'd')
  expect(await spares()).toBe(0)
  await record({ state: 'created', startedAt: new Date() })
  expect(await spares()).toBe(1)
  await goes('deleting')
  expect(await spares()).toBe(0)
  await goes('deleted')
  expect(await spares()).toBe(0)
  await db().machineProgress.deleteMany({ where: { machineName: 'x' } })
  await db().machine.update({ where: { id: made.machines[4] }, data: { deleting: true } })
  expect(await spares()).toBe(0)
})
