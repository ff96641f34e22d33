import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { audited } from '@/testenv/deciding'
import { ago, fares, OLD } from '@/testenv/faring'
import { says, timedCluster } from '@/testenv/timed'
import { stopFailing } from '../planner/failures'
import { approvedInPlace } from './approved-in-place'
import { recordStep } from './progress'

useTestDatabase()
const { view, running } = timedCluster()

/** The gate of a worker whose clock is ten minutes ahead is the first to write that a machine began. */
async function begunAhead() {
  const held = await running()
  await says(held, { stopsAt: 1 })
  const waits = { ...OLD, state: 'waiting', startedAt: null }
  await fares(held, 'ill', waits, { updating: true, verdict: 'in-place', createdAt: ago(1000) })
  const { id, clusterId, namespace } = held.change
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 })
  const step = { state: 'updating' as const, updater: 'u', done: [], message: 'u works', retryAfterSeconds: 5 }
  await recordStep(id, { clusterId, namespace, machine: 'ill' }, step).finally(() => vi.useRealTimers())
  const { machineId } = await db().machineProgress.findFirstOrThrow({ where: { changeId: id, machineName: 'ill' } })
  return { held, machineId }
}

test('what its health check finds ill since then stops its change', async () => {
  const { held, machineId: id } = await begunAhead()
  const checkFailedSince = new Date(Date.now() + 1_000)
  await db().machine.update({ where: { id }, data: { checkFailedSince, checkWords: 'Node not ready' } })
  await stopFailing(await view())
  expect(await audited(held)).toContain('change.stopped-by-itself ok')
})

test('superseded, and a newer one approved minutes later: it is passed on to its end', async () => {
  const { held } = await begunAhead()
  const { id, ...like } = held.change
  await db().change.update({ where: { id }, data: { state: 'superseded' } })
  await db().decision.updateMany({ where: { changeId: id }, data: { state: 'voided', mode: 'in-place' } })
  const at = new Date(Date.now() + 180_000)
  const newer = { ...like, fingerprint: 'n', state: 'running', detectedAt: at } as never
  const { id: changeId } = await db().change.create({ data: newer })
  const when = { recordedAt: at, sentAt: at, acceptedAt: at }
  const by = { mode: 'in-place', state: 'seen', actorId: 'a', actorName: 'Ada' }
  await db().decision.create({ data: { changeId, fingerprint: 'n', ...by, ...when } })
  const { clusterId, groupId, namespace, groupName: name, workloadCluster } = held.change
  const subject = { clusterId, groupId, kind: 'MachineDeployment' as const, namespace, name, workloadCluster }
  const passed = await approvedInPlace({ ...subject, machine: 'ill' })
  expect(passed.find((one) => one.id === id)?.approved).toHaveLength(1)
})
