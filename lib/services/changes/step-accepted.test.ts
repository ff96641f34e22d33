import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { planeRows } from '@/testenv/plane'
import { ada, lifted, row, says, timedCluster } from '@/testenv/timed'
import { takeStep } from '@/worker/gate/step'
import { stopFailing } from '@/worker/planner/failures'
import { holdSteps } from '@/worker/planner/steps'
import { acceptFailures } from './accept-failures'
import { nextMachine } from './next-machine'

useTestDatabase()
const { at, view } = timedCluster()

test('machine by machine, one that was updated is not Ready, and that is accepted: it counts, and the next one may go', async () => {
  const held = await at.held('KubeadmControlPlane')
  const ids = await planeRows(held, ['a', 'b', 'c'])
  await says(held, { stopsAt: 1, readyWithin: '1m' })
  const { id: changeId, fingerprint } = held.change
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const by = { mode: 'in-place', actorId: 'ada', actorName: 'Ada', state: 'seen', acceptedAt: ago(60) }
  await db().change.update({ where: { id: changeId }, data: { machines: 3, steps: 1, state: 'running' } })
  await db().decision.create({ data: { changeId, fingerprint, ...by } })
  const asked = async (machine: string) => takeStep(await row(held), { changeId, group: 'g', machine })
  await asked('a')
  const through = { state: 'done', startedAt: ago(30), finishedAt: ago(30), throughAt: ago(30), updatersDone: ['u'] }
  for (const [i, machineName] of ['a', 'b', 'c'].entries()) {
    const progress = { changeId, machineId: ids[i]!, machineName, predicted: 'in-place' }
    await db().machineProgress.create({ data: { state: 'waiting', ...progress, ...(i === 0 ? through : {}) } })
  }
  const isAway = { ready: false, upToDate: true, node: 'n', notReadySince: ago(30) }
  await db().machine.update({ where: { id: ids[0]! }, data: isAway })
  await stopFailing(await view())
  const { stoppedAt } = await row(held)
  const accepted = { asDone: false, again: false, reason: 'its node is away, etcd is well' }
  await acceptFailures(ada, { changeId, stoppedAt: stoppedAt!.toISOString(), ...accepted })
  await holdSteps(await view(), () => Promise.resolve())
  expect((await row(held)).stepWaitsAt).not.toBeNull()
  await nextMachine(ada, { changeId, done: 1, all: false })
  await asked('b')
  await lifted()
})
