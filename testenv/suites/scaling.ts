import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { CHECKS, SCALED, SKIP_PREFLIGHT, SKIPPED } from '@/lib/domain/scaling'
import { HELD } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { holdWorkers } from '@/lib/services/changes/hold-workers'
import { letWorkersGrow } from '@/lib/services/changes/let-workers-grow'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { closeClients } from '@/lib/services/clusters/connection'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { shapeSaid } from '@/lib/services/policies/shape'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { calendarConsumer } from '@/worker/calendar'
import { plannerConsumer } from '@/worker/planner'
import { scalingConsumer } from '@/worker/scaling'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from '../process'
import type { TestCluster } from '../types'
import { ctx, Governing, isControlPlane, OLD, versionOf, type Deadlines, type Workload } from './governing'
import { annotation, expectHeld, MD } from './watching'

const NEW = 'v1.34.1'
const SETS = { ...MD, plural: 'machinesets' }

/** Scaling while groups, or their control plane, are held: what the managers make of it. */
export function scalingSuite(get: () => TestCluster, times: Deadlines & { checksMs: number }): void {
  let g: Governing
  let worker: Worker
  const long = times.deadlineMs * 2

  beforeAll(async () => {
    g = new Governing(get(), times)
    await g.connect()
    await db().managementCluster.update({ where: { id: g.clusterId }, data: { latchForm: 'policy' } })
    worker = await startWorker({ consumers: [plannerConsumer, calendarConsumer, scalingConsumer], parts: [] })
    await savePolicy(ctx, { name: 'scales', spec: { select: {}, scaleWhileHeld: true } })
  })
  afterAll(async () => {
    await worker?.stop()
    await g?.stop()
    await closeClients()
  })

  const scale = (w: Workload, replicas: number) =>
    get().admin.patch(MD, w.machineDeployment, w.namespace, 'merge', { spec: { replicas } })
  /** Why its group is not as its policies say; null: it is. */
  const shaped = async (w: Workload): Promise<string | null> => {
    const [{ shape } = { shape: null }] = await g.changes(w, w.machineDeployment)
    const said = shapeSaid(shape)
    return said ? said.trouble : 'nothing is known yet'
  }
  const sets = async (w: Workload): Promise<KubeObject[]> => (await get().admin.list(SETS, w.namespace, {})).items
  const workers = async (w: Workload) =>
    (await g.machines(w)).filter((m) => !isControlPlane(m) && !m.metadata.deletionTimestamp)
  const are = (w: Workload, expected: string[]) =>
    until(
      `workers of ${expected.join(', ')}`,
      // Also what is going has gone.
      async () => {
        const all = (await g.machines(w)).filter((m) => !isControlPlane(m))
        return all.map(versionOf).sort().join() === expected.toSorted().join()
      },
      { ms: times.deadlineMs, every: 200 },
    )
  const of = (version: string, n: number): string[] => Array.from({ length: n }, () => version)

  describe.concurrent('a held worker group', () => {
    test.sequential(
      'grows and shrinks in the revision that it has, and goes on from there when it is let go',
      async () => {
        const w = await g.workload('grows', { workers: { replicas: 2 } })
        await g.known(w)
        await g.changeWorkers(w, NEW)
        const { id } = await g.change(w, w.machineDeployment, ['waiting'])
        await scale(w, 4)
        await are(w, of(OLD, 4))
        expectHeld(await g.deployment(w))
        await scale(w, 3)
        await are(w, of(OLD, 3))
        await g.nothingMoves(w)
        expect((await sets(w)).map((set) => [set.spec?.replicas, annotation(set, SCALED)])).toEqual([
          [3, '+1 of 2 at 3'],
        ])
        await g.approve(w, w.machineDeployment, 'replace')
        await are(w, of(NEW, 3))
        expect((await g.change(w, w.machineDeployment, ['done'])).id).toBe(id)
        await until('the mark to go', async () => !(await sets(w)).some((set) => annotation(set, SCALED)), {
          ms: times.deadlineMs,
        })
      },
      long,
    )

    test.sequential(
      'held again in the middle, it grows with machines that wait as well, and all of them are updated then',
      async () => {
        const w = await g.workload('middle', { workers: { replicas: 3, maxSurge: 1, maxUnavailable: 0 } })
        await g.known(w)
        // The new machine takes its time, so that there is something left to be held.
        const takes = (minReadySeconds: number) =>
          get().admin.patch(MD, w.machineDeployment, w.namespace, 'merge', {
            spec: { template: { spec: { minReadySeconds } } },
          })
        await takes(1_000_000)
        await g.changeWorkers(w, NEW)
        const { changeId } = await g.approve(w, w.machineDeployment, 'replace')
        await until('a new machine', async () => (await workers(w)).some((m) => versionOf(m) === NEW), {
          ms: times.deadlineMs,
          every: 50,
        })
        await pauseChange(ctx, { changeId })
        await until('the hold', async () => annotation(await g.deployment(w), HELD) !== undefined, {
          ms: times.deadlineMs,
          every: 50,
        })
        const old = async () => (await workers(w)).filter((m) => versionOf(m) === OLD).length
        const news = async () => (await workers(w)).filter((m) => versionOf(m) === NEW).length
        await until('what has begun to be over', async () => settled(await sets(w)), { ms: times.deadlineMs })
        const [waiting, begun] = [await old(), await news()]
        await scale(w, 5)
        await until('two more that wait', async () => (await old()) === waiting + 2, { ms: times.deadlineMs })
        expect(await news()).toBe(begun)
        await takes(0)
        await resumeChange(ctx, { changeId })
        await are(w, of(NEW, 5))
      },
      long,
    )
  })

  describe.concurrent('a group whose policy says how it rolls', () => {
    test.sequential(
      'is written so while it is held, and rolls so',
      async () => {
        const w = await g.workload('rolls', { workers: { replicas: 2, maxSurge: 1, maxUnavailable: 0 } })
        await g.known(w)
        const shape = { maxSurge: 0, maxUnavailable: 1, drainTimeout: '10m' }
        await savePolicy(ctx, { name: 'rolls', spec: { select: { namespaces: [w.namespace] }, ...shape } })
        await g.changeWorkers(w, NEW)
        const written = async () => JSON.stringify((await g.deployment(w)).spec?.rollout)
        await until('the group to be written', async () => (await written()).includes('"maxSurge":0'), {
          ms: times.deadlineMs,
        })
        expectHeld(await g.deployment(w))
        await until('that to be known', async () => (await shaped(w)) === null, { ms: times.deadlineMs })
        await g.nothingMoves(w)
        await g.approve(w, w.machineDeployment, 'replace')
        let most = 0
        await until(
          'workers of the new version',
          async () => {
            const all = await workers(w)
            most = Math.max(most, all.length)
            return all.length === 2 && all.every((m) => versionOf(m) === NEW)
          },
          { ms: times.deadlineMs, every: 50 },
        )
        // Never one more than it wants.
        expect(most).toBe(2)
        const timeOuts = (await workers(w)).map(
          ({ spec }) => (spec?.deletion as Record<string, unknown>)?.nodeDrainTimeoutSeconds,
        )
        expect(timeOuts).toEqual([600, 600])
      },
      long,
    )
  })

  describe.concurrent('what a machine set was told of, and has not made', () => {
    test.sequential(
      'is not made once its approval was taken back, and is when it is let go again',
      async () => {
        const w = await g.workload('told', { workers: { replicas: 1, maxSurge: 1, maxUnavailable: 0 } })
        await g.known(w)
        await g.changeControlPlane(w, NEW)
        await g.changeWorkers(w, NEW)
        const { changeId } = await g.approve(w, w.machineDeployment, 'replace')
        const told = async () =>
          (await sets(w)).find(({ spec }) => JSON.stringify(spec).includes(NEW))?.spec?.replicas ?? null
        // The checks of Cluster API keep it from making that one.
        await until('a machine set that is told of one', async () => (await told()) === 1, { ms: times.deadlineMs })
        await withdrawApproval(ctx, { changeId })
        await until('that to be taken back', async () => (await told()) === 0, { ms: times.deadlineMs })
        expectHeld(await g.deployment(w), /took the approval back/)
        await g.approve(w, w.controlPlane, 'replace')
        const through = async () => {
          const planes = (await g.machines(w)).filter(isControlPlane)
          return planes.length === 1 && versionOf(planes[0]!) === NEW
        }
        await until('the control plane to be through', through, { ms: times.deadlineMs, every: 200 })
        await g.change(w, w.controlPlane, ['done'])
        // By then its machine set has looked at its checks again.
        await g.nothingMoves(w, times.checksMs)
        expect((await workers(w)).map(versionOf)).toEqual([OLD])
        const change = await g.change(w, w.machineDeployment, ['waiting'])
        const said = (await getUpdate(ctx, change.id)).timeline.map(({ text }) => text).join('\n')
        expect(said).toMatch(/had been told of 1 machine that it had not made/)
        await g.approve(w, w.machineDeployment, 'replace')
        await are(w, of(NEW, 1))
        await g.change(w, w.machineDeployment, ['done'])
      },
      long * 2,
    )
  })

  describe.concurrent('workers of a held control plane', () => {
    test.sequential(
      'come when somebody lets them, of the version that is there; nothing of the control plane moves',
      async () => {
        const w = await g.workload('cp', { workers: { replicas: 1 } })
        await g.known(w)
        await g.changeControlPlane(w, NEW)
        const { id: changeId, fingerprint } = await g.change(w, w.controlPlane, ['waiting'])
        await scale(w, 2)
        await g.nothingMoves(w)
        await letWorkersGrow(ctx, { changeId, fingerprint })
        await are(w, of(OLD, 2))
        const [set] = await sets(w)
        expect([annotation(set!, SKIP_PREFLIGHT), annotation(set!, SKIPPED)]).toEqual([CHECKS.join(','), ''])
        expect((await g.machines(w)).filter(isControlPlane).map(versionOf)).toEqual([OLD])
        expectHeld(await g.kcp(w))
        await holdWorkers(ctx, { changeId })
        await until('the checks to be made again', async () => !annotation((await sets(w))[0]!, SKIP_PREFLIGHT), {
          ms: times.deadlineMs,
        })
        await scale(w, 3)
        await g.nothingMoves(w)
        await g.approve(w, w.controlPlane, 'replace')
        await are(w, of(OLD, 3))
      },
      long,
    )
  })
}

const settled = (all: readonly KubeObject[]): boolean =>
  all.every(({ spec, status }) => (status?.replicas ?? 0) === spec?.replicas)
