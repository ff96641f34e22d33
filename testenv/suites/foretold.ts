import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Plan } from '@/lib/services/forecast/plan'
import { startGate, type Gate } from '@/worker/gate'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from '../process'
import type { TestCluster } from '../types'
import { Governing, OLD, versionOf, type Deadlines, type Workload } from './governing'
import { MD } from './watching'
import { stopAfterwards } from './stop-afterwards'

interface Scenario {
  name: string
  mode: 'in-place' | 'replace'
  replicas: number
  surge: number | string
  unavailable: number | string
  order?: 'Oldest' | 'Newest' | 'Random'
  /** Marks the first of its machines by name for deletion. */
  marked?: boolean
  /** As the rules of Cluster API have it: updated, created, deleted. */
  comes: [number, number, number]
}

const way = (
  name: string,
  [surge, unavailable, replicas]: [number | string, number | string, number],
  comes: Scenario['comes'],
  more: Partial<Scenario> = {},
): Scenario => ({ name, mode: 'in-place', replicas, surge, unavailable, comes, ...more })

const SCENARIOS: Scenario[] = [
  way('less-one', [0, 1, 3], [3, 0, 0]),
  way('spare', [1, 0, 3], [2, 1, 1]),
  way('both', [1, 1, 3], [3, 0, 0]),
  way('more-spare', [3, 1, 3], [3, 0, 0]),
  way('quarter', ['25%', '25%', 6], [6, 0, 0]),
  way('all-at-once', ['100%', 0, 6], [5, 1, 1]),
  way('single', [1, 0, 1], [0, 1, 1], { mode: 'replace' }),
  way('single-less', [0, 1, 1], [1, 0, 0]),
  way('oldest', [1, 0, 3], [2, 1, 1], { order: 'Oldest' }),
  way('newest', [1, 0, 3], [2, 1, 1], { order: 'Newest' }),
  way('marked', [1, 0, 3], [2, 1, 1], { order: 'Random', marked: true }),
  way('re-spare', [1, 0, 3], [0, 3, 3], { mode: 'replace' }),
  way('re-less', [0, 1, 3], [0, 3, 3], { mode: 'replace' }),
  way('re-quarter', ['25%', '25%', 6], [0, 6, 6], { mode: 'replace' }),
]

/** What is foretold when somebody approves is what the managers then do: machine by machine, by name where there is one. */
export function foretoldSuite(get: () => TestCluster, times: Deadlines): void {
  let g: Governing
  let gate: Gate
  let worker: Worker
  let w: Workload

  beforeAll(async () => {
    g = new Governing(get(), times)
    gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    await g.connect()
    await db().managementCluster.update({ where: { id: g.clusterId }, data: { latchForm: 'policy' } })
    w = await g.workload('fo', { workers: { replicas: 1 } })
    const spec = (await g.deployment(w)).spec as JsonObject
    for (const scenario of SCENARIOS) await get().admin.create(MD, deploymentOf(scenario, spec) as never, w.namespace)
    worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer], parts: [] })
    await g.addUpdater(200)
    await g.register(gate.url)
    await until('all machines to run', allRun, { ms: times.deadlineMs, every: 500 })
    const known = { clusterId: g.clusterId, namespace: w.namespace, kind: 'MachineDeployment', letGo: { not: null } }
    const all = SCENARIOS.length + 1
    await until('the planner to know the groups', async () => (await db().group.count({ where: known })) === all, {
      ms: times.deadlineMs,
    })
  }, times.deadlineMs * 3)

  stopAfterwards(() => [worker, gate, g])

  const deploymentOf = ({ name, replicas, surge, unavailable, order }: Scenario, like: JsonObject): JsonObject => ({
    ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment' },
    metadata: { name: `fo-${name}`, namespace: w.namespace },
    spec: {
      ...{ clusterName: like.clusterName!, replicas },
      template: { spec: (like.template as JsonObject).spec! },
      rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } } },
      ...(order ? { deletion: { order } } : {}),
    },
  })

  const allRun = async () => {
    const { items } = await get().admin.list(MD, w.namespace, { limit: 100 })
    return items.every(
      (md) => valueAt(md as never, 'status', 'availableReplicas') === valueAt(md as never, 'spec', 'replicas'),
    )
  }

  const ofGroup = (all: KubeObject[], name: string) =>
    all.filter((m) => m.metadata.labels?.['cluster.x-k8s.io/deployment-name'] === name)

  describe.concurrent('by strategy', () => {
    test.each(SCENARIOS)(
      '$name: $mode, $replicas machines, surge $surge, unavailable $unavailable',
      async (scenario) => {
        const group = `fo-${scenario.name}`
        const { admin } = get()
        const before = ofGroup(await g.machines(w), group)
        if (scenario.marked) {
          const { name } = before.map(({ metadata }) => metadata).sort((a, b) => (a.name < b.name ? -1 : 1))[0]!
          const resource = { ...MD, plural: 'machines' }
          await admin.patch(resource, name, w.namespace, 'merge', {
            metadata: { annotations: { 'cluster.x-k8s.io/delete-machine': '' } },
          })
          const seen = () => db().machine.count({ where: { clusterId: g.clusterId, name, deleteMarked: true } })
          await until('the mark to be seen', async () => (await seen()) === 1, { ms: 60_000 })
        }
        const body = { spec: { template: { spec: { version: 'v1.34.1' } } } }
        await admin.patch(MD, group, w.namespace, 'merge', body)
        await g.approve(w, group, scenario.mode)
        const done = await g.change(w, group, ['done'])
        const [updatedInPlace, created, deleted] = scenario.comes
        expect(done.outcome).toMatchObject({ updatedInPlace, created, deleted })
        const { updated, created: new_, deleted: gone } = done.decisions[0]!.plan as unknown as Plan
        expect([updated, new_, gone]).toEqual(scenario.comes)
        expect([done.asForetold, done.foretold]).toEqual([scenario.replicas + created, scenario.replicas + created])
        const after = ofGroup(await g.machines(w), group)
        expect(after.map(versionOf)).toEqual(Array.from({ length: scenario.replicas }, () => 'v1.34.1'))
        expect(before.map(versionOf)).toEqual(Array.from({ length: scenario.replicas }, () => OLD))
      },
      times.deadlineMs * 2,
    )
  })
}
