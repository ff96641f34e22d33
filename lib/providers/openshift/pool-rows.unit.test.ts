import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { poolRows, type Since } from './pool-rows'

const P = 'machineconfiguration.openshift.io/'
const ROLE = { 'node-role.kubernetes.io/worker': '' }
const made = (name: string) => ({ name, uid: name, resourceVersion: '1', generation: 1, creationTimestamp: '' })
const pool: KubeObject = {
  ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool', metadata: made('worker') },
  spec: { configuration: { name: 'b' }, machineConfigSelector: {}, nodeSelector: { matchLabels: ROLE } },
  status: { observedGeneration: 1, configuration: { name: 'a' }, machineCount: 1 },
}
const annotations = { [`${P}currentConfig`]: 'a', [`${P}desiredConfig`]: 'b', [`${P}state`]: 'Working' }
const node: KubeObject = {
  ...{ apiVersion: 'v1', kind: 'Node', metadata: { ...made('n'), labels: ROLE, annotations } },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
}
const of = (nodes: KubeObject[], nodesOpen = false) => ({
  ...{ pools: [pool], steps: new Map(), nodes, nodesOpen, clusterVersion: undefined, releases: new Map() },
})

test('a restart makes no step younger, also where nodes are listed after pools', () => {
  const since: Since = new Map()
  const [first] = poolRows(of([node]), since, 1_000).nodes
  expect(first!.since).toEqual(new Date(1_000))
  poolRows(of([], true), since, 3_600_000)
  expect(poolRows(of([node]), since, 3_601_000).nodes[0]!.since).toEqual(first!.since)
  // Listed, and not there: what comes under its name is another one.
  poolRows(of([]), since, 3_602_000)
  expect(poolRows(of([node]), since, 3_603_000).nodes[0]!.since).toEqual(new Date(3_603_000))
})

test('a node that no pool selects any more is known still, as one of no pool; one that no operator ever had is not', () => {
  const away = { ...node, metadata: { ...node.metadata, labels: {} } }
  const { nodes, pools } = poolRows(of([away]), new Map(), 1_000)
  expect(nodes).toMatchObject([{ name: 'n', pool: '', currentConfig: 'a' }])
  expect(pools).toHaveLength(1)
  const other = { ...away, metadata: { ...away.metadata, annotations: {} } }
  expect(poolRows(of([other]), new Map(), 1_000).nodes).toEqual([])
})
