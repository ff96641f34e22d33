import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { calendarConsumer } from '@/worker/calendar'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from './process'
import { Governing, isControlPlane, OLD, versionOf } from './suites/governing'

const DAY_MS = 86_400_000
const one = vi.hoisted(() => ({ id: '', foretold: [] as unknown[] }))
// The real one; in that moment the node of one machine is not Ready, as a day after it was made.
vi.mock('@/lib/services/forecast/foretell', async (original) => {
  const there = await original<typeof import('@/lib/services/forecast/foretell')>()
  return {
    ...there,
    foretell: async (...given: Parameters<typeof there.foretell>) => {
      const where = { id: one.id }
      const select = { ready: true, available: true, state: true, createdAt: true }
      const was = await db().machine.findUniqueOrThrow({ where, select })
      const away = { ready: false, available: false, state: 'not-ready', createdAt: new Date(Date.now() - DAY_MS) }
      await db().machine.update({ where, data: away })
      one.foretold.push(await there.foretell(...given))
      await db().machine.update({ where, data: was })
      return one.foretold.at(-1)
    },
  }
})

useTestDatabase()
let cluster: SandboxTestCluster
let g: Governing
let worker: Worker
beforeAll(async () => {
  // Not so fast that a second one goes between two looks: nobody is asked.
  cluster = await sandboxTestCluster({ speed: 1, inPlace: false })
  g = new Governing(cluster, { deadlineMs: 100_000, watchMs: 3_000 })
  await g.connect()
  worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer, calendarConsumer], parts: [] })
}, 100_000)
afterAll(async () => {
  await worker?.stop()
  await cluster?.stop()
})

test('machine by machine, where nothing could be foretold as it was approved: it waits after the first one', async () => {
  const w = await g.workload('plane', { controlPlane: { replicas: 3, maxSurge: 1 }, workers: { replicas: 1 } })
  await g.known(w)
  const planes = async () => (await g.machines(w)).filter(isControlPlane)
  const before = (await planes()).map(({ metadata }) => metadata.uid)
  one.id = before[0]!
  await g.changeControlPlane(w, 'v1.34.1')
  await g.approve(w, w.controlPlane, 'replace', 'v1.34.1', { oneByOne: true })
  expect(one.foretold).toEqual([null])
  const untouched = async () =>
    (await planes()).filter(
      ({ metadata, ...m }) =>
        before.includes(metadata.uid) && versionOf({ metadata, ...m }) === OLD && !metadata.deletionTimestamp,
    ).length
  const waits = async () => {
    expect(await untouched()).toBeGreaterThanOrEqual(2)
    const [change] = await g.changes(w, w.controlPlane)
    return change!.state === 'waiting' && change!.stepsDone === 1
  }
  await until('it to wait after the first one', waits, { ms: 90_000, every: 200, rethrow: true })
  expect(await untouched()).toBe(2)
}, 200_000)
