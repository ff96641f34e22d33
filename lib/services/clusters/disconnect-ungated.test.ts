import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { failure } from '@/testenv/deciding'
import { ada, bo, cy, FROZEN, says, timedCluster } from '@/testenv/timed'
import type { Held } from '@/testenv/held'
import { pauseChange } from '../changes/pause-change'
import { withdrawApproval } from '../changes/withdraw-approval'
import { holdToTimes } from '@/worker/planner/times'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'

// No gate is registered: only Drydock's own hold stops what is under way.
useTestDatabase()
const { at, look, running, view } = timedCluster()

const of = ({ change: { id } }: Held) => ({ changeId: id })
const plan = () => planDisconnect(cy, { clusterId: at.clusterId })
const disconnect = () => failure(disconnectCluster(cy, { clusterId: at.clusterId, confirm: 'm' }))
const named = (held: Held) => `MachineDeployment ${held.namespace}/${held.name}`

test('what was let go, and nothing is to stop, goes on, whoever is connected', async () => {
  await running()
  expect(await plan()).toMatchObject({ registered: false, wouldMove: [], goesOn: [] })
})

test('what goes machine by machine is stopped by nobody behind the next one', async () => {
  const held = await running()
  await db().change.update({ where: { id: held.change.id }, data: { steps: 1 } })
  const why = expect.stringContaining('goes machine by machine') as string
  expect((await plan()).wouldMove).toEqual([{ group: named(held), digest: expect.any(String) as string, why }])
  expect(await disconnect()).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(named(held)) as string,
  })
  await db().change.update({ where: { id: held.change.id }, data: { steps: null } })
})

test.each<[string, (held: Held) => Promise<unknown>]>([
  ['paused', (held) => pauseChange(bo, of(held))],
  ['taken back', (held) => withdrawApproval(ada, of(held))],
  ['in a freeze', (held) => says(held, FROZEN)],
])('what is %s, and is not held yet, would be held by nobody; once it is held, it stays so', async (_, stops) => {
  const held = await running()
  await stops(held)
  const why = expect.stringContaining('is not held yet') as string
  expect((await plan()).wouldMove).toEqual([{ group: named(held), digest: expect.any(String) as string, why }])
  expect(await disconnect()).toMatchObject({
    ...{ code: 'conflict', message: expect.stringContaining(named(held)) as string },
  })
  expect(await db().auditEvent.count({ where: { action: 'cluster.disconnect' } })).toBe(0)

  await holdToTimes(await view())
  await look(held)
  expect(await plan()).toMatchObject({ wouldMove: [], staysHeld: expect.arrayContaining([named(held)]) as string[] })
})
