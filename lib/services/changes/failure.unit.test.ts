import { expect, test } from 'vitest'
import { KubeError } from '@/lib/kubernetes/types'
import { failureOf } from './failure'

const told = (message: string) =>
  failureOf(new KubeError(403, { kind: 'Status', code: 403, message }, 'PATCH'), 'MachineDeployment fleet/md').sentence

test.each([
  ['a proxy in front of the API server, without a Status', 'HTTP 403'],
  [
    'kube-rbac-proxy',
    'Forbidden (user=system:serviceaccount:drydock:drydock, verb=patch, resource=machinedeployments, subresource=)',
  ],
  ['an authorizing proxy', 'Access denied'],
])('of a 403 that nothing explains neither a permission nor a rule is told as the cause: %s', (_, message) => {
  expect(told(message)).not.toMatch(/permission|RBAC|rule|policy|webhook/)
  expect(told(message)).toContain('nothing was released')
})

test('a 403 by RBAC or by admission is told as that', () => {
  const of = 'machinedeployments.cluster.x-k8s.io "md" is forbidden: '
  expect(told(`${of}User "drydock" cannot patch resource "machinedeployments" in API group "x"`)).toContain('RBAC')
  expect(told(`${of}exceeded quota: compute`)).toContain('Not for want of a permission: a rule of the cluster')
})
