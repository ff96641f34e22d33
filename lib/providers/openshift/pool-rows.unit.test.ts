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

test('while an update of the cluster begins, a node that has what its pool wants has what came before', () => {
  const settled = { ...annotations, [`${P}desiredConfig`]: 'a', [`${P}state`]: 'Done' }
  const at = { ...node, metadata: { ...node.metadata, annotations: settled } }
  const wants = { ...pool, spec: { ...pool.spec!, configuration: { name: 'a' } } } as KubeObject
  const history = [{ state: 'Partial', version: '4.22.6' }]
  const clusterVersion = {
    ...{ apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', metadata: made('version') },
    status: { desired: { version: '4.22.6' }, history },
  } as KubeObject
  const said = (release: string | null) => {
    const objects = { ...of([at]), pools: [wants], clusterVersion, releases: new Map([['a', release]]) }
    return poolRows(objects, new Map(), 1_000).nodes.map(({ phase, sentence }) => [phase, sentence])
  }
  expect(said('4.22.5')).toEqual([['updated', 'With what came before 4.22.6.']])
  expect(said(null)).toEqual([['updated', 'Whether it is up to date cannot be told.']])
  expect(said('4.22.6')).toEqual([['updated', 'Up to date.']])
})

test('a node that is degraded for its drain is at it since that began', () => {
  const at = (type: string, status: string, hours: string, message = '') => ({
    ...{ type, status, message, reason: '', lastTransitionTime: `2026-11-21T${hours}:00Z` },
  })
  const conditions = [
    at('Cordoned', 'True', '06:00'),
    at('Drained', 'Unknown', '07:01', 'Node Drain has not succeeded: error when evicting pods/"db-0" -n "shop"'),
    at('NodeDegraded', 'True', '07:00'),
  ]
  const steps = { metadata: made('n'), status: { conditions } } as unknown as KubeObject
  const degraded = { ...annotations, [`${P}state`]: 'Degraded', [`${P}reason`]: 'failed to drain node: n after 1 hour' }
  const failing = { ...node, metadata: { ...node.metadata, annotations: degraded } }
  const now = Date.parse('2026-11-21T07:02:00Z')
  const [row] = poolRows({ ...of([failing]), steps: new Map([['n', steps]]) }, new Map(), now).nodes
  expect(row).toMatchObject({ phase: 'degraded', since: new Date('2026-11-21T06:00:00Z') })
})
