import { afterAll, beforeAll, expect, it } from 'vitest'
import { sandboxTestCluster, type SandboxTestCluster } from '../test-cluster'
import { ADMIN } from '../testing/extension'
import { until } from '../testing/until'
import type { Machine, MachineSet } from './kinds'
import { CONTROL_PLANES, DEV_MACHINES, HOST, MACHINES, MACHINE_DEPLOYMENTS, MACHINE_SETS } from './names'

let cluster: SandboxTestCluster
let namespace: string
const of = (controlPlane: boolean) =>
  (cluster.sandbox.store.list(MACHINES, { namespace }) as unknown as Machine[]).filter(
    ({ metadata }) => 'cluster.x-k8s.io/control-plane' in (metadata.labels ?? {}) === controlPlane,
  )
const patch = (resource: string, key: string, body: object) =>
  cluster.sandbox.store.merge(resource, key, JSON.parse(JSON.stringify(body)), ADMIN)

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  namespace = await cluster.namespace({})
  await cluster.workloadCluster({
    ...{ namespace, name: 'c', version: 'v1.34.0', controlPlane: { replicas: 1 }, workers: { replicas: 2 } },
  })
})
afterAll(() => cluster.stop())

it('writes labels and time-outs of a deployment to its machines, takes them away again, and rolls nothing out', async () => {
  const key = `${namespace}/c-md`
  const before = of(false).map(({ metadata }) => metadata.uid)
  const template = {
    metadata: { labels: { tier: 'gold' }, annotations: { 'example.org/a': 'b' } },
    spec: {
      deletion: { nodeDrainTimeoutSeconds: 30 },
    },
  }
  await patch(MACHINE_DEPLOYMENTS, key, { spec: { template } })
  await until('the machines have it', () =>
    of(false).every(
      ({ metadata, spec }) =>
        metadata.labels?.tier === 'gold' &&
        metadata.annotations?.['example.org/a'] === 'b' &&
        spec.deletion?.nodeDrainTimeoutSeconds === 30,
    ),
  )
  await patch(MACHINE_DEPLOYMENTS, key, { spec: { template: { metadata: { labels: { tier: null } } } } })
  await until('the label is gone', () => of(false).every(({ metadata }) => !('tier' in (metadata.labels ?? {}))))
  const [set, ...others] = cluster.sandbox.store.list(MACHINE_SETS, { namespace }) as unknown as MachineSet[]
  expect(others).toEqual([])
  expect(set!.spec.template.metadata!.labels).toHaveProperty('machine-template-hash')
  expect(of(false).map(({ metadata }) => metadata.uid)).toEqual(before)
})

it('writes those of a control plane, and leaves what others wrote', async () => {
  const [machine] = of(true)
  await patch(MACHINES, `${namespace}/${machine!.metadata.name}`, { metadata: { labels: { own: 'x' } } })
  await patch(CONTROL_PLANES, `${namespace}/c-cp`, {
    spec: {
      machineTemplate: { metadata: { labels: { tier: 'gold' } }, spec: { deletion: { nodeDrainTimeoutSeconds: 30 } } },
    },
  })
  await until('the machine has it', () =>
    of(true).every(
      ({ metadata, spec }) => metadata.labels?.tier === 'gold' && spec.deletion?.nodeDrainTimeoutSeconds === 30,
    ),
  )
  expect(of(true).map(({ metadata }) => [metadata.uid, metadata.labels?.own])).toEqual([[machine!.metadata.uid, 'x']])
})

it('a machine whose drain hangs gets new time-outs, and no labels, and goes by them', async () => {
  await cluster.workloadCluster({
    ...{ namespace, name: 'd', version: 'v1.34.0', controlPlane: { replicas: 3 }, workers: { replicas: 1 } },
  })
  const machines = () => cluster.sandbox.store.list(MACHINES, { namespace }) as unknown as Machine[]
  const going = machines().filter(({ metadata: { name } }) => /^d-md/.test(name))
  going.push(machines().find(({ metadata: { name } }) => /^d-cp/.test(name))!)
  const now = () =>
    going.flatMap(({ metadata: { uid } }) => machines().find(({ metadata }) => metadata.uid === uid) ?? [])
  for (const { metadata, spec } of going) {
    await patch(DEV_MACHINES, `${namespace}/${spec.infrastructureRef.name}`, {
      metadata: { annotations: { [HOST.blockedByBudget]: 'shop/db' } },
    })
    await cluster.sandbox.store.delete(MACHINES, `${namespace}/${metadata.name}`, ADMIN)
  }
  const hangs = ({ status }: Machine) =>
    status?.conditions?.some(({ type, message }) => type === 'Deleting' && message?.includes('disruption budget'))
  await until('their drains hang', () => now().length === 2 && now().every(hangs))
  const template = { metadata: { labels: { tier: 'gold' } }, spec: { deletion: { nodeDrainTimeoutSeconds: 3_000 } } }
  await patch(MACHINE_DEPLOYMENTS, `${namespace}/d-md`, { spec: { template } })
  await patch(CONTROL_PLANES, `${namespace}/d-cp`, { spec: { machineTemplate: template } })
  await until('they have it', () => now().every(({ spec }) => spec.deletion?.nodeDrainTimeoutSeconds === 3_000))
  expect(now().map(({ metadata }) => metadata.labels?.tier)).toEqual([undefined, undefined])
  const soon = { spec: { deletion: { nodeDrainTimeoutSeconds: 30 } } }
  await patch(MACHINE_DEPLOYMENTS, `${namespace}/d-md`, { spec: { template: soon } })
  await patch(CONTROL_PLANES, `${namespace}/d-cp`, { spec: { machineTemplate: soon } })
  await until('they are gone', () => now().length === 0)
})
