import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { failure } from '@/testenv/deciding'
import { ada, bo, cy, FROZEN, says, timedCluster } from '@/testenv/timed'
import { MD, type Held } from '@/testenv/held'
import { pauseChange } from '../changes/pause-change'
import { withdrawApproval } from '../changes/withdraw-approval'
import { holdToTimes } from '@/worker/planner/times'
import { kubeClientFor } from './connection'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'

// No gate is registered: only Drydock's own hold stops what is under way.
useTestDatabase()
const { at, look, running, view } = timedCluster()

const of = ({ change: { id } }: Held) => ({ changeId: id })
const plan = () => planDisconnect(cy, { clusterId: at.clusterId })
const disconnect = () => failure(disconnectCluster(cy, { clusterId: at.clusterId, confirm: 'm' }))
const named = (held: Held) => `MachineDeployment ${held.namespace}/${held.name}`

test('what was let go, and nothing is to stop, goes on, whoever is connected, and is named', async () => {
  const held = await running()
  const goesOn = [named(held)]
  expect(await plan()).toMatchObject({ registered: false, wouldMove: [], goesOn })
  const { id, digest } = await db().change.findUniqueOrThrow({ where: { id: held.change.id } })
  const write = (data: { settling?: boolean; digest?: string }) => db().change.update({ where: { id }, data })
  // Nothing is left to go; or something else than what was let go.
  await write({ settling: true })
  expect(await plan()).toMatchObject({ wouldMove: [], goesOn: [] })
  await write({ settling: false, digest: 'another' })
  expect(await plan()).toMatchObject({ wouldMove: [], goesOn: [] })
  await write({ digest })
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

/** Held; nothing of it moves while these tests look, whatever holds it. */
async function still(): Promise<Held> {
  const held = await at.held()
  const clusters = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters' }
  const { workloadCluster } = held.change
  await at.cluster.admin.patch(clusters, workloadCluster, held.namespace, 'merge', { spec: { paused: true } })
  return held
}

/** As somebody who may takes the hold away, or an older API server stores what is written. */
async function frees(held: Held): Promise<void> {
  const client = await kubeClientFor(at.clusterId)
  await client.patch(MD, held.name, held.namespace, 'merge', {
    metadata: { annotations: { [HELD]: null, [PAUSED]: null } },
  })
}
const notHeldYet = (held: Held) => ({
  ...{
    group: named(held),
    digest: expect.any(String) as string,
    why: expect.stringContaining('is not held yet') as string,
  },
})

test('what waits for people, and whose hold was taken away, is to be held again; not where nobody governs it any more', async () => {
  const held = await still()
  const governed = (is: boolean) => db().group.update({ where: { id: held.change.groupId }, data: { governed: is } })
  await governed(true)
  expect((await plan()).staysHeld).toContain(named(held))
  await frees(held)
  expect((await plan()).wouldMove).toEqual([notHeldYet(held)])
  await governed(false)
  expect((await plan()).wouldMove).toEqual([])
})

test('so is what was changed, where Drydock itself watches, and has not looked at it since', async () => {
  const held = await still()
  const { groupId } = held.change
  const { letGo } = await db().group.findUniqueOrThrow({ where: { id: groupId } })
  await db().group.update({ where: { id: groupId }, data: { governed: true, watched: `v1beta2 ${letGo}` } })
  await db().change.delete({ where: { id: held.change.id } })
  await frees(held)
  const watch = (watchSince: Date | null) =>
    db().managementCluster.update({ where: { id: at.clusterId }, data: { watchSince } })
  expect((await plan()).wouldMove).toEqual([])
  await watch(new Date())
  expect((await plan()).wouldMove).toEqual([notHeldYet(held)])
  // What it is to be, it may be: somebody changed it back.
  await held.bump('v1.34.0')
  await frees(held)
  expect((await plan()).wouldMove).toEqual([])
  await watch(null)
})
