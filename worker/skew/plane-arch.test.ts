import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { JsonObject } from '@/lib/domain/json'
import { CONFIG_MAP, objects, SETS } from '@/lib/providers/openshift/testing/samples'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ClusterView, Heard } from '../types'
import { judgeAnew, skewConsumer } from '.'

useTestDatabase()
const clusterId = randomUUID()
const sample = objects('automatic')

function plane(): KubeObject {
  const made = structuredClone(SETS['aws.current']!)
  const { spec } = (made.spec as { template: { spec: JsonObject } }).template
  return {
    ...{ ...made, kind: 'ControlPlaneMachineSet', metadata: { ...made.metadata, name: 'cluster', annotations: {} } },
    spec: { state: 'Active', template: { machines_v1beta1_machine_openshift_io: { spec } } },
  }
}
const master = { metadata: { labels: { 'node-role.kubernetes.io/master': '', 'kubernetes.io/arch': 'amd64' } } }

/** The autoscaler wrote nothing onto it. */
function unsaid(): KubeObject {
  const made = structuredClone(SETS['aws.current']!)
  return { ...made, metadata: { ...made.metadata, annotations: {} } }
}
const arm = (): KubeObject => {
  const { metadata, ...made } = unsaid()
  const annotations = { 'capacity.cluster-autoscaler.kubernetes.io/labels': 'kubernetes.io/arch=arm64' }
  return { ...made, metadata: { ...metadata, name: 'arm', uid: randomUUID(), annotations } }
}

let nodes: Record<string, unknown> = { master }
let sets: Record<string, Record<string, unknown>> = {}
let heard: Heard = 'listed'
const kept = (): Record<string, Record<string, unknown>> => ({
  'machineconfigurations.operator.openshift.io': { cluster: sample.machineConfiguration },
  'infrastructures.config.openshift.io': { cluster: sample.infrastructure },
  'clusterversions.config.openshift.io': { version: sample.clusterVersion },
  ...sets,
  configmaps: { 'openshift-machine-config-operator/coreos-bootimages': CONFIG_MAP },
  nodes,
})
const view = {
  ...{ clusterId, name: 'atoll', fence: 0n, heard: () => heard },
  capabilities: { resources: {}, missingPermissions: [], openshift: { skew: true } },
  objects: (resource: string) => new Map(Object.entries(kept()[resource] ?? {})),
} as unknown as ClusterView

beforeAll(() => db().managementCluster.create({ data: { id: clusterId, name: 'atoll', server: '' } }))
afterEach(() => skewConsumer.forget?.(view))

async function told() {
  const where = { clusterId, name: { not: 'arm' } }
  const { arch, state, wanted, outcome } = await db().bootImageSet.findFirstOrThrow({ where })
  return { arch, state, wanted, outcome }
}

test.each([
  ['the control plane’s set', { 'controlplanemachinesets.machine.openshift.io': { 'openshift-machine-api/cluster': plane() } }], // prettier-ignore
  [
    'a machine set that says no architecture, where there is no such set',
    { 'machinesets.machine.openshift.io': { 'openshift-machine-api/arm': arm(), 'openshift-machine-api/a': unsaid() } },
  ],
])('a worker that begins takes nothing back of %s while nodes are still listed', async (_, found) => {
  ;[nodes, heard, sets] = [{ master }, 'listed', found]
  await db().bootImageSet.deleteMany()
  await skewConsumer.onSynced(view)
  const before = await told()
  expect(before).toMatchObject({ arch: 'x86_64', state: 'current' })
  skewConsumer.forget?.(view)
  ;[nodes, heard] = [{}, 'open']
  await skewConsumer.onSynced(view)
  expect(await told()).toEqual(before)
  heard = 'refused'
  await judgeAnew(view)
  expect(await told()).toMatchObject({ arch: null, wanted: null })
})
