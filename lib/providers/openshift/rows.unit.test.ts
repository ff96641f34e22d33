import { expect, test } from 'vitest'
import { openShiftFleet } from '@/sandbox/openshift'
import type { KubeObject } from '@/lib/kubernetes/types'
import { openshiftRows } from './rows'

const NOW = Date.UTC(2026, 10, 21)
const fleet = openShiftFleet({ now: NOW })
const of = (resource: string) =>
  fleet.filter((s) => s.resource === resource).map((s) => s.object as unknown as KubeObject)
const nodes = new Map(of('nodes').map((n) => [n.metadata.name, openshiftRows.node(n)]))
const rows = of('machines.machine.openshift.io').map((m) => {
  const node = (m.status?.nodeRef as { name: string } | undefined)?.name
  return openshiftRows.machine('tidal', m, node ? nodes.get(node) : undefined, NOW).machine!
})

test('every machine of the fleet is a row with its node’s version', () => {
  expect(rows).toHaveLength(41)
  expect(rows.filter((r) => r.controlPlane)).toHaveLength(3)
  expect(rows.filter((r) => r.state === 'ready')).toHaveLength(40)
  expect(rows[0]).toMatchObject({
    version: 'v1.35.4',
    versionKey: '000001.000035.000004~',
    provider: 'machine.openshift.io',
  })
})

test('a machine that runs and never joined is told by its age', () => {
  const [stuck] = rows.filter((r) => r.state === 'failed')
  expect(stuck).toMatchObject({ phase: 'Provisioned', node: null, severity: 85 })
  expect(stuck?.sentence).toContain('never joined')
  const raw = of('machines.machine.openshift.io').find((m) => m.metadata.uid === stuck?.id)!
  const soon = Date.parse(raw.status?.lastUpdated as string) + 60_000
  expect(openshiftRows.machine('tidal', raw, undefined, soon).machine!.state).toBe('provisioning')
})

test.each([
  [{ configState: 'Degraded', configReason: 'disk full' }, 'failed', 'disk full'],
  [{ configState: 'Rebooting' }, 'updating', 'rebooting'],
  [{ draining: true }, 'updating', 'draining'],
  [{ ready: false }, 'not-ready', 'not Ready'],
  [{ schedulable: false }, 'not-ready', 'cordoned'],
])('its node says %j', (facts, state, words) => {
  const machine = of('machines.machine.openshift.io').find((m) => m.status?.nodeRef)!
  const node = [...nodes.values()].find((n) => n.name === (machine.status?.nodeRef as { name: string }).name)!
  const row = openshiftRows.machine('tidal', machine, { ...node, ...facts }, NOW).machine!
  expect(row.state).toBe(state)
  expect(row.sentence).toContain(words)
})

test('sets and the cluster are rows too', () => {
  const set = openshiftRows.group('tidal', of('machinesets.machine.openshift.io')[0]!)
  expect(set).toMatchObject({ kind: 'MachineSet', desiredReplicas: 14, readyReplicas: 14, held: null })
  const cluster = openshiftRows.workloadCluster(
    'c1',
    of('clusterversions.config.openshift.io')[0],
    of('infrastructures.config.openshift.io')[0],
    'x',
  )
  expect(cluster).toMatchObject({ name: 'tidal-7k2qd', version: '4.22.4', provider: 'openshift', phase: 'Available' })
})
