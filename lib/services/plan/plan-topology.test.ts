import { stringify } from 'yaml'
import { describe, expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import type { JsonObject } from '@/lib/domain/json'
import { MD } from '@/testenv/held'
import { operator, planningCluster, type Deployment } from '@/testenv/plan-cluster'
import { planChange } from './plan-change'

useTestDatabase()

const CLUSTERS = { ...MD, plural: 'clusters' }
const CLASSES = { ...MD, plural: 'clusterclasses' }
const { at, w: managed, plan, only, groupId } = planningCluster(true)
const topologyOf = async () => {
  const { spec } = await at.cluster.admin.get(CLUSTERS, managed.name, managed.namespace)
  return structuredClone(spec!.topology) as JsonObject & {
    controlPlane: JsonObject
    workers: { machineDeployments: JsonObject[] }
  }
}
const cluster = (topology: JsonObject): string =>
  stringify({
    ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' },
    metadata: { name: managed.name, namespace: managed.namespace },
    spec: { topology },
  })

describe('Clusters of a ClusterClass', () => {
  test('version, replicas and failure domain reach the groups as the topology controller would write them', async () => {
    const topology = await topologyOf()
    topology.version = 'v1.34.1'
    topology.workers.machineDeployments[0]!.replicas = 3
    const { groups, verdict, documents } = await plan(cluster(topology))
    expect(documents).toMatchObject([{ outcome: 'changed', kind: 'Cluster' }])
    expect(groups.map((g) => [g.groupName, g.summary])).toEqual([
      [`${managed.name}-cp`, 'v1.34.0 → v1.34.1'],
      [`${managed.name}-md`, 'v1.34.0 → v1.34.1'],
    ])
    expect(groups[1]!.outlook.replace).toMatchObject({ added: 1 })
    expect(groups[1]!.notes[0]).toContain('once the control plane has it')
    expect(verdict).toBe('replace')
    const same = await planChange(operator, {
      clusterId: at.clusterId,
      groupId: await groupId(`${managed.name}-md`),
      version: 'v1.34.1',
    })
    expect(same.groups.map((g) => g.groupName)).toEqual(groups.map((g) => g.groupName))
    expect(same.documents[0]!.sentence).toContain('is managed by a ClusterClass')
  })

  test('a version that the API server does not take, in its own words', async () => {
    const topology = await topologyOf()
    const refused = await only(cluster({ ...topology, version: 'v1.40.0' }))
    expect(refused).toMatchObject({ outcome: 'invalid' })
    expect(refused.answer).toContain('version cannot be increased from "1.34.0" to "1.40.0"')
    const decreased = await only(cluster({ ...topology, version: 'v1.33.0' }))
    expect(decreased.answer).toContain('version cannot be decreased from "1.34.0" to "1.33.0"')
  })

  test('deferred, removed and added deployments', async () => {
    const topology = await topologyOf()
    const [first] = topology.workers.machineDeployments
    const deferred = { ...first!, metadata: { annotations: { 'topology.cluster.x-k8s.io/defer-upgrade': '' } } }
    const later = await plan(cluster({ ...topology, version: 'v1.34.1', workers: { machineDeployments: [deferred] } }))
    expect(later.groups.map((g) => [g.groupName, g.what])).toEqual([
      [`${managed.name}-cp`, 'changed'],
      [`${managed.name}-md`, 'unchanged'],
    ])
    expect(later.groups[1]!.notes[0]).toContain('its upgrade is deferred')
    const other = await plan(cluster({ ...topology, workers: { machineDeployments: [{ ...first!, name: 'others' }] } }))
    expect(other.groups).toMatchObject([{ what: 'deleted', verdict: 'replace', machines: 2 }])
    expect(other.documents[0]!.sentence).toContain('A MachineDeployment others would be made, with 2 machines.')
  })

  test('variables: unknown where a patch of the class reads them, nothing where none does', async () => {
    const topology = await topologyOf()
    const live = await at.cluster.admin.get(CLUSTERS, managed.name, managed.namespace)
    const name = (topology.classRef as { name: string }).name
    const reading = {
      name: 'zones',
      definitions: [
        {
          selector: {
            ...{ apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'DevMachineTemplate' },
            matchResources: { machineDeploymentClass: { names: ['work*'] } },
          },
          jsonPatches: [{ op: 'add', path: '/spec/template/spec/zone', valueFrom: { variable: 'zone' } }],
        },
      ],
    }
    const schema = { openAPIV3Schema: { type: 'string' } }
    const variables = ['zone', 'colour'].map((v) => ({ name: v, required: false, schema }))
    await at.cluster.admin.patch(CLASSES, name, managed.namespace, 'merge', {
      spec: { patches: [reading], variables },
    })
    expect(live.metadata.name).toBe(managed.name)
    const zone = await plan(cluster({ ...topology, variables: [{ name: 'zone', value: 'b' }] }))
    expect(zone.verdict).toBe('unknown')
    expect(zone.groups).toMatchObject([{ groupName: `${managed.name}-md`, what: 'unknown', verdict: 'unknown' }])
    expect(zone.groups[0]!.undetermined[0]).toContain('which the patch zones of the ClusterClass')
    expect(zone.groups[0]!.machinesList.map((m) => m.verdict)).toEqual(['unknown', 'unknown'])
    const colour = await plan(cluster({ ...topology, variables: [{ name: 'colour', value: 'blue' }] }))
    expect(colour).toMatchObject({ verdict: 'nothing', groups: [] })
    await at.cluster.admin.patch(CLASSES, name, managed.namespace, 'merge', { spec: { patches: null } })
  })

  test('a group that a ClusterClass manages, given as itself, would be taken back', async () => {
    const live = await at.cluster.admin.get(MD, `${managed.name}-md`, managed.namespace)
    const spec = structuredClone(live.spec) as Deployment
    spec.template.spec.version = 'v1.34.1'
    const { groups } = await plan(stringify({ ...live, spec }))
    expect(groups[0]!.notes[0]).toContain('Plan the Cluster instead')
  })
})
