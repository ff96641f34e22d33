import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { projectHealthCheck } from './health-check'

const row = (apiVersion: string, spec: JsonObject, more: object = {}) =>
  projectHealthCheck(
    {
      apiVersion: `cluster.x-k8s.io/${apiVersion}`,
      kind: 'MachineHealthCheck',
      metadata: { name: 'c', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '', ...more },
      spec: { clusterName: 'w', ...spec },
      status: { expectedMachines: 3, currentHealthy: 2 },
    },
    { find: () => undefined, governed: () => false, now: 0 },
  ).healthCheck!

const expressions = [{ key: 'tier', operator: 'In', values: ['a'] }]
const WHOLE = {
  selector: { labels: { a: 'b' }, expressions },
  node: [{ type: 'Ready', status: 'Unknown', seconds: 300 }],
  machine: [{ type: 'Updating', status: 'True', seconds: 5430 }],
  startupSeconds: 1200,
  limit: { from: 1, to: 4 },
  external: 'XTemplate',
}

test('both versions say the same', () => {
  const selector = { matchLabels: { a: 'b' }, matchExpressions: expressions }
  const newer = row('v1beta2', {
    selector,
    checks: {
      nodeStartupTimeoutSeconds: 1200,
      unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 300 }],
      unhealthyMachineConditions: [{ type: 'Updating', status: 'True', timeoutSeconds: 5430 }],
    },
    remediation: {
      triggerIf: { unhealthyLessThanOrEqualTo: 7, unhealthyInRange: '[1-4]' },
      templateRef: { apiVersion: 'x/v1', kind: 'XTemplate', name: 'x' },
    },
  })
  const older = row('v1beta1', {
    selector,
    nodeStartupTimeout: '20m0s',
    unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '300s' }],
    unhealthyMachineConditions: [{ type: 'Updating', status: 'True', timeout: '1h30m30s' }],
    maxUnhealthy: 7,
    unhealthyRange: '[1-4]',
    remediationTemplate: { apiVersion: 'x/v1', kind: 'XTemplate', name: 'x' },
  })
  expect(newer.spec).toEqual(WHOLE)
  expect(older.spec).toEqual(WHOLE)
  expect(newer).toMatchObject({ workloadCluster: 'w', targets: 3, healthy: 2, paused: false })
})

test.each<[string, string, JsonObject, object]>([
  ['ten minutes to join', 'v1beta2', {}, { startupSeconds: 600, limit: null, external: null, node: [], machine: [] }],
  ['ten minutes in v1beta1', 'v1beta1', {}, { startupSeconds: 600, limit: null }],
  ['for ever', 'v1beta2', { checks: { nodeStartupTimeoutSeconds: 0 } }, { startupSeconds: null }],
  ['for ever in v1beta1', 'v1beta1', { nodeStartupTimeout: '0s' }, { startupSeconds: null }],
  [
    'a share',
    'v1beta2',
    { remediation: { triggerIf: { unhealthyLessThanOrEqualTo: '40%' } } },
    { limit: { atMost: '40%' } },
  ],
  ['a share in v1beta1', 'v1beta1', { maxUnhealthy: '40%' }, { limit: { atMost: '40%' } }],
])('where it says less: %s', (_what, version, spec, is) => expect(row(version, spec).spec).toMatchObject(is))

test('paused', () => {
  expect(row('v1beta2', {}, { annotations: { 'cluster.x-k8s.io/paused': '' } }).paused).toBe(true)
})
