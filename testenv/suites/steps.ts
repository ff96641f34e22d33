import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { COMPONENTS, ETCD_PARTS } from '@/lib/domain/control-plane'
import { HELD } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { conditionsOf } from '@/lib/providers/cluster-api/conditions'
import { outlookIn } from '@/lib/services/changes/change-row'
import { planeOf } from '@/lib/services/changes/plane'
import { nextMachine } from '@/lib/services/changes/next-machine'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { calendarConsumer } from '@/worker/calendar'
import { startGate, type Gate } from '@/worker/gate'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from '../process'
import type { TestCluster } from '../types'
import {
  ctx,
  Governing,
  isControlPlane,
  OLD,
  versionOf,
  type ChangeRow,
  type Deadlines,
  type Workload,
} from './governing'
import { annotation, expectFree, MD } from './watching'
import { stopAfterwards } from './stop-afterwards'

const NEW = 'v1.34.1'
const NEXT = 'v1.34.2'
const MACHINES = { ...MD, plural: 'machines' }
const DRAINS = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/suite'
const PARTS = [...ETCD_PARTS, ...COMPONENTS]

/**
 * A control plane of three, one machine at a time: what holds the next one, and that nothing is asked of anybody twice; and
 * paused while one of them is replaced.
 */
export function stepsSuite(get: () => TestCluster, times: Deadlines): void {
  let g: Governing
  let gate: Gate
  let worker: Worker
  const long = times.deadlineMs * 4

  beforeAll(async () => {
    g = new Governing(get(), times)
    gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    await g.connect()
    await g.addUpdater(200)
    worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer, calendarConsumer], parts: [] })
    if (get().inPlace) await g.register(gate.url)
  }, times.deadlineMs)

  stopAfterwards(() => [worker, gate, g])

  /** Held, its manager looks at it no more, and what it found ill last is not offered in place. */
  const isWell = async (w: Workload): Promise<boolean> => {
    const parts = (m: KubeObject) => conditionsOf(m).filter(({ type }) => PARTS.includes(type))
    return (await planes(w)).every(
      (m) => parts(m).length === PARTS.length && parts(m).every((c) => c.status === 'True'),
    )
  }
  const planes = async (w: Workload) => (await g.machines(w)).filter(isControlPlane)
  /** Of the machines that were there before: those that nobody has touched. */
  const untouched = async (w: Workload): Promise<number> => {
    const before = new Set(w.before.map((m) => m.metadata.uid))
    return (await planes(w)).filter(
      (m) => before.has(m.metadata.uid) && versionOf(m) === OLD && !m.metadata.deletionTimestamp,
    ).length
  }

  /** Held again, and with so many dealt with; exactly the others are untouched, and stay so. */
  async function waitsAfter(w: Workload, done: number): Promise<ChangeRow> {
    let change!: ChangeRow
    const waits = async () => {
      change = (await g.changes(w, w.controlPlane))[0]!
      return change.state === 'waiting' && change.stepsDone === done && change.dueMode !== null
    }
    await until(`${w.name} to wait after ${done}`, waits, { ms: times.deadlineMs, every: 100 })
    expect(annotation(await g.kcp(w), HELD)).toBe(
      `Stopped by Drydock: not now: ${done} of 3 machines, as approved; the next one waits for somebody`,
    )
    await onlyThese(w, 3 - done)
    return change
  }

  /** So many of them are untouched, and stay so. */
  async function onlyThese(w: Workload, left: number): Promise<void> {
    const end = Date.now() + times.watchMs
    const still = async () => {
      expect(await untouched(w)).toBe(left)
      return Date.now() >= end
    }
    await until('the time of watching to pass', still, { ms: times.watchMs + 60_000, every: 100, rethrow: true })
  }

  const drains = ({ metadata: { name, namespace } }: KubeObject, why: string | null) =>
    get().admin.patch(MACHINES, name, namespace, 'merge', { metadata: { annotations: { [DRAINS]: why } } })

  const go = (change: ChangeRow, all: boolean) =>
    nextMachine(ctx, { changeId: change.id, done: change.stepsDone, all, typedName: change.groupName })

  describe.concurrent.each([
    { way: 'in-place', maxSurge: 0 },
    { way: 'in-place', maxSurge: 1 },
    { way: 'replace', maxSurge: 0 },
    { way: 'replace', maxSurge: 1 },
  ] as const)('$way with maxSurge $maxSurge', ({ way, maxSurge }) => {
    test(
      'one machine, then it waits; the next one; then all others',
      async ({ skip }) => {
        if (way === 'in-place' && !get().inPlace) skip()
        // As soon as the last new one is well, the last old one goes without a question (docs/policies.md): the hold has to be there
        // before, and is put back when the one before has left etcd.
        const hostStarts = way === 'replace' && maxSurge === 1 ? '8s' : undefined
        const w = await g.workload(`gs${way === 'replace' ? 'r' : 'i'}${maxSurge}`, {
          ...{ controlPlane: { replicas: 3, maxSurge, hostStarts }, workers: { replicas: 1 } },
        })
        await g.known(w)
        await until('its manager to find it well', () => isWell(w), { ms: times.deadlineMs, every: 250 })
        await g.changeControlPlane(w, NEW)
        await g.approve(w, w.controlPlane, way, NEW, { oneByOne: true })
        const first = await waitsAfter(w, 1)
        expect(outlookIn(first).replicas).toBe(3)
        await go(first, false)
        // In place with a spare the last one goes with the one before it, and nobody is asked about it.
        if (way === 'in-place' && maxSurge === 1) {
          let now: ChangeRow | undefined
          const dealtWith = async () => {
            ;[now] = await g.changes(w, w.controlPlane)
            return now!.state === 'done' || (now!.state === 'waiting' && now!.stepsDone > first.stepsDone)
          }
          await until('the second one to be dealt with', dealtWith, { ms: times.deadlineMs, every: 100 })
          if (now!.state === 'waiting') await go(now!, true)
        } else await go(await waitsAfter(w, 2), true)
        const done = await g.change(w, w.controlPlane, ['done'], NEW)
        const replaced = way === 'replace' ? 3 : maxSurge
        expect(done.outcome).toMatchObject({ updatedInPlace: 3 - replaced, created: replaced, deleted: replaced })
        expect((await planes(w)).map(versionOf)).toEqual([NEW, NEW, NEW])
        expectFree(await g.kcp(w))
      },
      long,
    )
  })

  describe.concurrent.each([0, 1] as const)('paused while one is replaced with maxSurge %s', (maxSurge) => {
    test(
      'that one is gone, with another in its place, and nothing else goes; resumed, the others do',
      async () => {
        const w = await g.workload(`gp${maxSurge}`, {
          ...{ controlPlane: { replicas: 3, maxSurge }, workers: { replicas: 1 } },
        })
        await g.known(w)
        for (const m of await planes(w)) await drains(m, 'as long as the test wants')
        await g.changeControlPlane(w, NEW)
        const { changeId } = await g.approve(w, w.controlPlane, 'replace', NEW)
        const going = async () => (await planes(w)).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        const every = { ms: times.deadlineMs, every: 50 }
        await until('one to go', async () => (await going()).length > 0, every)
        await pauseChange(ctx, { changeId, reason: 'red' })
        // While it is drained its manager is needed.
        await onlyThese(w, 2)
        for (const m of await going()) await drains(m, null)
        const held = async () => /not now: paused by/.test(annotation(await g.kcp(w), HELD) ?? '')
        await until('it to be held', held, every)
        const replaced = async () => (await going()).length === 0 && (await planes(w)).length >= 3
        await until('the one that went to be replaced', replaced, every)
        await onlyThese(w, 2)
        for (const m of await planes(w)) await drains(m, null)
        await resumeChange(ctx, { changeId, typedName: w.controlPlane })
        const done = await g.change(w, w.controlPlane, ['done'], NEW)
        expect(done).toMatchObject({ id: changeId, outcome: { created: 3, deleted: 3 } })
        expectFree(await g.kcp(w))
      },
      long,
    )
  })

  test(
    'changed again while one is replaced: that one waits with it, nothing else goes, and what is approved then goes through',
    async () => {
      const w = await g.workload('gagain', { controlPlane: { replicas: 3, maxSurge: 1 }, workers: { replicas: 1 } })
      await g.known(w)
      for (const m of await planes(w)) await drains(m, 'as long as the test wants')
      await g.changeControlPlane(w, NEW)
      await g.approve(w, w.controlPlane, 'replace', NEW)
      const going = async () => (await planes(w)).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      const every = { ms: times.deadlineMs, every: 50 }
      await until('one to go', async () => (await going()).length > 0, every)
      await g.changeControlPlane(w, NEXT)
      for (const m of await planes(w)) await drains(m, null)
      await onlyThese(w, 2)
      // Its manager, which takes the member out of etcd, is paused: the deletion waits for whoever decides.
      expect(await going()).toHaveLength(1)
      expect((await planes(w)).filter((m) => versionOf(m) === NEXT)).toEqual([])
      const waiting = await g.change(w, w.controlPlane, ['waiting'], NEXT)
      expect(await planeOf(db(), waiting)).toMatchObject({ hangs: await going().then(([m]) => m!.metadata.name) })
      await g.approve(w, w.controlPlane, 'replace', NEXT)
      await g.change(w, w.controlPlane, ['done'], NEXT)
      expect((await planes(w)).map(versionOf)).toEqual([NEXT, NEXT, NEXT])
      expectFree(await g.kcp(w))
    },
    long,
  )
}
