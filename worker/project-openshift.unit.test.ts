import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { OpenShiftProjection } from './project-openshift'

const NOW = Date.UTC(2026, 10, 21, 12)
const MINUTE = 60_000
beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const MACHINES = 'machines.machine.openshift.io'
const machine = (status: Record<string, unknown> = { phase: 'Provisioned' }, created = NOW): KubeObject =>
  ({
    ...{ apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine', spec: {}, status },
    metadata: {
      ...{ name: 'm', namespace: 'n', uid: 'u-1', resourceVersion: '1' },
      creationTimestamp: new Date(created).toISOString(),
    },
  }) as unknown as KubeObject
const projection = (since = new Map<string, number>()) =>
  new OpenShiftProjection('c', 'tidal', { find: () => undefined, governed: () => false }, since)

test('a machine of which nothing more is heard is late after a while, and is said so once', () => {
  const rows = projection()
  expect(rows.upsert(MACHINES, 'n/m', machine())?.machine).toMatchObject({ state: 'provisioning' })
  vi.setSystemTime(NOW + 19 * MINUTE)
  expect(rows.again().map((row) => row.machine?.state)).toEqual(['provisioning'])
  vi.setSystemTime(NOW + 21 * MINUTE)
  expect(rows.again().map((row) => row.machine?.state)).toEqual(['failed'])
  expect(rows.again()).toEqual([])
})

test('what another worker saw first counts, whatever the status says later', () => {
  const rows = projection(new Map([['u-1', NOW - 60 * MINUTE]]))
  const written = { phase: 'Provisioned', lastUpdated: new Date(NOW).toISOString() }
  expect(rows.upsert(MACHINES, 'n/m', machine(written, NOW - 61 * MINUTE))?.machine).toMatchObject({
    state: 'failed',
    provisionedSince: new Date(NOW - 60 * MINUTE),
  })
})

test('one that joins or goes is not looked at again, and the next of its name begins anew', () => {
  const rows = projection()
  rows.upsert(MACHINES, 'n/m', machine())
  rows.upsert(MACHINES, 'n/m', machine({ phase: 'Running', nodeRef: { name: 'node' } }))
  expect(rows.again()).toEqual([])
  rows.upsert(MACHINES, 'n/m', machine())
  rows.remove(MACHINES, 'n/m')
  expect(rows.again()).toEqual([])
  vi.setSystemTime(NOW + 30 * MINUTE)
  expect(rows.upsert(MACHINES, 'n/m', machine())?.machine).toMatchObject({ state: 'provisioning' })
})
