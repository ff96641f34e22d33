import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { slimNode } from './config-nodes'
import { poolRows } from './pool-rows'

const P = 'machineconfiguration.openshift.io/'
const ROLE = { 'node-role.kubernetes.io/worker': '' }
const made = (name: string) => ({ name, uid: name, resourceVersion: '1', generation: 1, creationTimestamp: '' })

const pool = {
  ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool', metadata: made('worker') },
  spec: { configuration: { name: 'b' }, nodeSelector: { matchLabels: ROLE } },
  status: {
    ...{ observedGeneration: 1, configuration: { name: 'a' }, machineCount: 2, updatedMachineCount: 1 },
    ...{ readyMachineCount: 0, unavailableMachineCount: 1, degradedMachineCount: 0 },
    conditions: [
      { type: 'Updating', status: 'True' },
      { type: 'Updated', status: 'False' },
    ],
  },
} as unknown as KubeObject

const node = (name: string, config: string, ...conditions: { type: string; status: string }[]): KubeObject =>
  slimNode({
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: {
      ...{ ...made(name), labels: ROLE },
      annotations: { [`${P}currentConfig`]: config, [`${P}desiredConfig`]: config, [`${P}state`]: 'Done' },
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }, ...conditions] },
  })
const rowsOf = (...conditions: { type: string; status: string }[]) => {
  const nodes = [node('n1', 'b', ...conditions), node('n2', 'a')]
  const releases = new Map([
    ['a', '4.21.1'],
    ['b', '4.22.1'],
  ])
  return poolRows({ pools: [pool], steps: new Map(), nodes, clusterVersion: undefined, releases }, new Map(), 1_000)
}

test.each([
  ['DiskPressure', 'True'],
  ['NetworkUnavailable', 'True'],
  ['NetworkUnavailable', 'Unknown'],
])('a node is out of work by its %s=%s, as its operator counts, which begins no other then', (type, status) => {
  const { pools, nodes } = rowsOf({ type, status })
  expect(nodes[0]).toMatchObject({
    ...{ phase: 'updated', unavailable: true, severity: 60 },
    sentence: `Up to date. It reports ${type}, and counts against maxUnavailable.`,
  })
  expect(pools[0]!.sentence).toContain('None begins: n1 is out of work')
})

test.each(['MemoryPressure', 'PIDPressure'])('its operator does not go by %s', (type) => {
  const { nodes } = rowsOf({ type, status: 'True' }, { type: 'DiskPressure', status: 'False' })
  expect(nodes[0]).toMatchObject({ sentence: 'Up to date.', unavailable: false })
})
