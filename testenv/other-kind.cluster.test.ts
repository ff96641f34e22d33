import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { approveChange } from '@/lib/services/changes/approve-change'
import { changeSetOf, outlookIn } from '@/lib/services/changes/change-row'
import { startGate, type Gate } from '@/worker/gate'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from './process'
import { realTestCluster } from './real'
import { ctx, Governing, isControlPlane, type Workload } from './suites/governing'
import { KCP, MD } from './suites/watching'
import type { TestCluster } from './types'
import { stopAfterwards } from './suites/stop-afterwards'

useTestDatabase()

const DOCKER = { group: 'infrastructure.cluster.x-k8s.io', version: 'v1beta2', plural: 'dockermachinetemplates' }
const DEV = { group: 'infrastructure.cluster.x-k8s.io', version: 'v1beta2', plural: 'devmachinetemplates' }
const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' }
const INIT: JsonObject = {
  initConfiguration: { skipPhases: ['addon/kube-proxy'] },
  joinConfiguration: { skipPhases: ['preflight'] },
}
const TIMES = { deadlineMs: 300_000, watchMs: 5_000 }

describe('another template, on the real managers', () => {
  let cluster: TestCluster
  let g: Governing
  let gate: Gate
  let worker: Worker
  beforeAll(async () => {
    cluster = await realTestCluster()
    g = new Governing(cluster, TIMES)
    gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    await g.connect()
    await db().managementCluster.update({ where: { id: g.clusterId }, data: { latchForm: 'policy' } })
    worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer], parts: [] })
    await g.addUpdater(500)
    await g.register(gate.url)
  }, TIMES.deadlineMs)
  stopAfterwards(() => [worker, gate, g, cluster])

  const kindOf = (machine: object) => valueAt(machine as never, 'spec', 'infrastructureRef', 'kind')

  test(
    'of another kind is replaced, and never told to be possible in place',
    async () => {
      const w = await g.workload('ok', { workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 } })
      await g.known(w)
      const { namespace, machineDeployment: name } = w
      await cluster.admin.create(
        DOCKER,
        {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
          kind: 'DockerMachineTemplate',
          metadata: { name: 'docker', namespace },
          spec: { template: { spec: {} } },
        } as never,
        namespace,
      )
      const infrastructureRef = { kind: 'DockerMachineTemplate', name: 'docker' }
      await cluster.admin.patch(MD, name, namespace, 'merge', { spec: { template: { spec: { infrastructureRef } } } })
      const waiting = await g.change(w, name, ['waiting'])
      expect(waiting.summary).toMatch(/^DevMachineTemplate → DockerMachineTemplate/)
      expect(outlookIn(waiting)).toMatchObject({ inPlace: null, replace: { created: 2, deleted: 2 } })
      expect(changeSetOf(waiting).pairs[0]).toMatchObject({ otherKind: true })
      const { id: changeId, fingerprint } = waiting
      await expect(approveChange(ctx, { changeId, fingerprint, mode: 'in-place' })).rejects.toThrow('another kind')
      await approveChange(ctx, { changeId, fingerprint, mode: 'replace' })
      const workers = async () => (await g.machines(w)).filter((m) => !isControlPlane(m))
      await until(
        'a machine of the other kind to be made',
        async () => (await workers()).some((m) => kindOf(m) === 'DockerMachine'),
        { ms: TIMES.deadlineMs },
      )
      const before = new Set(w.before.map(({ metadata }) => metadata.name))
      // Nobody who was there has become something else.
      for (const machine of await workers())
        expect(kindOf(machine)).toBe(before.has(machine.metadata.name) ? 'DevMachine' : 'DockerMachine')
    },
    TIMES.deadlineMs * 2,
  )

  // Cluster API compares contents only: an answer without patches is a "yes" where they are the same.
  test.each([
    ['workers', (w: Workload) => w.machineDeployment, null],
    ['a control plane', (w: Workload) => w.controlPlane, {}],
    // The first machine was made by init; Cluster API asks about it in the form of those that join.
    ['a control plane whose first machine is configured otherwise', (w: Workload) => w.controlPlane, INIT],
  ] as const)(
    'a copy of the template: %s approved replacing are replaced, and not taken for possible in place',
    async (_, groupOf, kubeadm) => {
      const plane = kubeadm !== null
      const w = await g.workload(plane ? 'cpcopy' : 'copy', {
        workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 },
        ...(plane ? { controlPlane: { replicas: 1, maxSurge: 1, kubeadm } } : {}),
      })
      await g.known(w)
      const { namespace } = w
      const name = groupOf(w)
      const resource = plane ? KCP : MD
      const group = await cluster.admin.get(resource, name, namespace)
      const path = plane ? ['spec', 'machineTemplate', 'spec'] : ['spec', 'template', 'spec']
      const reference = valueAt(group as never, ...path, 'infrastructureRef') as { name: string }
      const template = await cluster.admin.get(DEV, reference.name, namespace)
      const copy = { ...reference, name: `${reference.name}-copy` }
      await cluster.admin.create(
        DEV,
        { ...template, metadata: { name: copy.name, namespace }, status: undefined } as never,
        namespace,
      )
      const patch = path.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), { infrastructureRef: copy })
      await cluster.admin.patch(resource, name, namespace, 'merge', patch)
      const waiting = await g.change(w, name, ['waiting'])
      expect(waiting.summary).toMatch(
        kubeadm === INIT ? /^bootstrap: joinConfiguration/ : /^another template with the same content$/,
      )
      const { id: changeId, fingerprint } = waiting
      const typedName = plane ? { typedName: name } : {}
      await approveChange(ctx, { changeId, fingerprint, mode: 'replace', ...typedName })
      const done = await g.change(w, name, ['done'])
      const size = plane ? 1 : 2
      expect(done.outcome).toMatchObject({ updatedInPlace: 0, created: size, deleted: size })
      const mine = (await g.machines(w)).filter((m) => isControlPlane(m) === plane)
      const before = new Set(w.before.map(({ metadata }) => metadata.uid))
      expect(mine.filter(({ metadata }) => before.has(metadata.uid))).toEqual([])
    },
    TIMES.deadlineMs * 2,
  )

  test(
    'that Drydock may not read waits with its reason, and nothing can be approved',
    async () => {
      const w = await g.workload('un', { workers: { replicas: 1 } })
      await g.known(w)
      const { namespace, machineDeployment: name } = w
      const group = 'infrastructure.example.com'
      const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
      await cluster.admin.create(CRDS, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `strangetemplates.${group}`, labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta2' } },
        spec: {
          ...{ group, scope: 'Namespaced' },
          names: { plural: 'strangetemplates', singular: 'strangetemplate', kind: 'StrangeTemplate' },
          versions: [{ name: 'v1beta2', served: true, storage: true, schema }],
        },
      } as never)
      const infrastructureRef = { apiGroup: group, kind: 'StrangeTemplate', name: 'strange' }
      await cluster.admin.patch(MD, name, namespace, 'merge', { spec: { template: { spec: { infrastructureRef } } } })
      const waiting = await g.change(w, name, ['waiting'])
      const words = expect.stringMatching(/may not read what has to be compared .*forbidden/) as string
      expect(outlookIn(waiting)).toMatchObject({ blocked: words, inPlace: null, unknown: { counts: { unknown: 1 } } })
      const { id: changeId, fingerprint } = waiting
      for (const mode of ['in-place', 'replace'] as const)
        await expect(approveChange(ctx, { changeId, fingerprint, mode })).rejects.toThrow('may not read')
      await g.nothingMoves(w)
    },
    TIMES.deadlineMs,
  )
})
