import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { nodeStatus } from '@/examples/updater'
import { db } from '@/lib/db/client'
import { SKIP_MARK, SKIPPED_BY_DRYDOCK, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { skipRemediation } from '@/lib/services/remediation/skip-remediation'
import { startGate, type Gate } from '@/worker/gate'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { remediationConsumer } from '@/worker/remediation'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from '../process'
import type { TestCluster } from '../types'
import { ctx, Governing, isControlPlane, uids, versionOf, type Deadlines, type Workload } from './governing'
import { stopAfterwards } from './stop-afterwards'

const CHECKS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinehealthchecks' }
const MACHINES = { ...CHECKS, plural: 'machines' }

export interface RemediationTimes extends Deadlines {
  /** How long the updater takes: longer than the check waits, and than it takes to look. */
  updateMs: number
  /** How long a node may not be ready, by the check. */
  checkSeconds: number
}

/** A machine whose node is away in the middle of its update: deleted by its health check, unless somebody had that skipped. */
export function remediationSuite(get: () => TestCluster, times: RemediationTimes): void {
  let g: Governing
  let gate: Gate
  let worker: Worker
  const long = times.deadlineMs * 2
  const ms = times.deadlineMs

  beforeAll(async () => {
    g = new Governing(get(), times)
    gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    await g.connect()
    await db().managementCluster.update({ where: { id: g.clusterId }, data: { latchForm: 'policy' } })
    worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer, remediationConsumer], parts: [] })
    await g.addUpdater(times.updateMs)
    await g.register(gate.url)
  }, long)
  stopAfterwards(() => [worker, gate, g])

  const workers = async (w: Workload) => (await g.machines(w)).filter((m) => !isControlPlane(m))
  const isUpdating = (m: KubeObject) =>
    ((m.status?.conditions ?? []) as { type: string; status: string }[]).some(
      (c) => c.type === 'Updating' && c.status === 'True',
    )
  const turn = (w: Workload, m: KubeObject, status: 'True' | 'Unknown') => {
    const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
    const said = { reason: 'Test', message: '', lastTransitionTime }
    // The list is replaced whole, and the managers look for all of them.
    const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
      type,
      status: 'False',
      ...said,
    }))
    return nodeStatus(get().adminKubeconfig)(
      { namespace: w.namespace, cluster: w.name, machine: m.metadata.name },
      { conditions: [{ type: 'Ready', status, ...said }, ...pressures] },
    )
  }
  const watched = async (name: string): Promise<Workload> => {
    const w = await g.workload(name, { workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 } })
    await g.known(w)
    const check: JsonObject = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineHealthCheck',
      metadata: { name, namespace: w.namespace },
      spec: {
        clusterName: w.name,
        selector: { matchLabels: { 'cluster.x-k8s.io/deployment-name': w.machineDeployment } },
        checks: {
          unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: times.checkSeconds }],
        },
      },
    }
    await get().admin.create(CHECKS, check, w.namespace)
    await until(
      'the check to have looked',
      async () => (await get().admin.get(CHECKS, name, w.namespace)).status?.currentHealthy === 2,
      { ms },
    )
    await g.changeWorkers(w, 'v1.34.1')
    return w
  }
  /** Its update has begun, and its node is away from now on. */
  const first = async (w: Workload): Promise<KubeObject> => {
    let found: KubeObject | undefined
    await until('an update to begin', async () => Boolean((found = (await workers(w)).find(isUpdating))), {
      ms,
      every: 50,
    })
    await turn(w, found!, 'Unknown')
    return found!
  }
  const now = (m: KubeObject) =>
    get()
      .admin.get(MACHINES, m.metadata.name, m.metadata.namespace)
      .catch(() => null)
  const marksOf = (m: KubeObject | null) => ({
    skip: m?.metadata.annotations?.[SKIPS_REMEDIATION],
    mark: m?.metadata.annotations?.[SKIP_MARK],
  })
  const remediation = async (id: string) => (await getUpdate(ctx, id)).remediation!

  test.sequential(
    'nobody asked: the page warns, and the machine is deleted in the middle of its update',
    async () => {
      const w = await watched('ra')
      const { id } = await g.approvable(w, w.machineDeployment, 'in-place')
      const { checks, cannot } = await remediation(id)
      expect(cannot).toBeNull()
      expect(checks).toMatchObject([{ name: 'ra', machines: 2, level: 'unknown', idle: null }])
      await g.approve(w, w.machineDeployment, 'in-place')
      const machine = await first(w)
      // It may be gone a moment later.
      let ill: string[] = []
      const told = async () => (ill = (await remediation(id)).ill.map(({ name }) => name)).length > 0
      await until('the page to say who is ill', told, { ms, every: 50 })
      expect(ill).toEqual([machine.metadata.name])
      await until('it to go', async () => (await now(machine))?.metadata.uid !== machine.metadata.uid, { ms })
    },
    long,
  )

  test.sequential(
    'asked for: it stays, and its annotations are as they were; what somebody else set is left alone',
    async () => {
      const w = await watched('rb')
      const [theirs] = (await workers(w)) as [KubeObject]
      const set = { metadata: { annotations: { [SKIPS_REMEDIATION]: 'mine' } } }
      await get().admin.patch(MACHINES, theirs.metadata.name, w.namespace, 'merge', set)
      const { id } = await g.approvable(w, w.machineDeployment, 'in-place')
      await skipRemediation(ctx, { changeId: id })
      await g.nothingMoves(w)
      expect(marksOf(await now(theirs))).toEqual({ skip: 'mine' })
      await g.approve(w, w.machineDeployment, 'in-place')
      const [away, back] = [new Set<string>(), new Set<string>()]
      await until(
        'both to be updated, with their nodes away',
        async () => {
          const all = await workers(w)
          for (const m of all.filter(isUpdating)) {
            if (away.has(m.metadata.name)) continue
            away.add(m.metadata.name)
            // What is ill before it is marked is remediated all the same: the check waits for less than a round takes.
            if (m.metadata.name !== theirs.metadata.name) {
              const marked = { skip: SKIPPED_BY_DRYDOCK, mark: id }
              await until('it to be marked', async () => marksOf(await now(m)).mark === id, { ms: 20_000, every: 50 })
              expect(marksOf(await now(m))).toEqual(marked)
            }
            await turn(w, m, 'Unknown')
          }
          // Updated, and not ready yet: the mark stays. The next one begins when this one is available again.
          for (const m of all.filter((one) => !isUpdating(one) && versionOf(one) === 'v1.34.1')) {
            if (!away.has(m.metadata.name) || back.has(m.metadata.name)) continue
            back.add(m.metadata.name)
            await pause(times.watchMs)
            if (m.metadata.name !== theirs.metadata.name) expect(marksOf(await now(m)).mark).toBe(id)
            await turn(w, m, 'True')
          }
          return all.every((m) => versionOf(m) === 'v1.34.1' && !isUpdating(m)) && back.size === 2
        },
        { ms: long, every: 200 },
      )
      expect(uids(await g.machines(w))).toEqual(uids(w.before))
      await g.change(w, w.machineDeployment, ['done'])
      const restored = async () =>
        (await workers(w)).every((m) => {
          const { skip, mark } = marksOf(m)
          return mark === undefined && skip === (m.metadata.name === theirs.metadata.name ? 'mine' : undefined)
        })
      await until('what was there to be there', restored, { ms })
      expect(uids(await g.machines(w))).toEqual(uids(w.before))
      // What is written to the machines is there before its outcome is on record.
      const wanted = ['change.skips-remediation', 'remediation.skip', 'remediation.skipped', 'remediation.restored']
      const recorded = async () => {
        const said = await db().auditEvent.findMany({ where: { targetId: id } })
        return wanted.every((one) => said.some(({ action }) => action === one))
      }
      await until('all of it to be on record', recorded, { ms })
    },
    long * 2,
  )
}
