import { expect, test } from 'vitest'
import { deniedBy, isUnpermitted } from './denied'

const of = (code: number, message: string) => deniedBy({ code, message })

test('what RBAC refuses is no denial by admission', () => {
  const message =
    'machinedeployments.cluster.x-k8s.io "md" is forbidden: User "drydock" cannot patch resource "machinedeployments" in API group "cluster.x-k8s.io" in the namespace "fleet"'
  expect(of(403, message)).toBeNull()
  expect(isUnpermitted({ code: 403, message })).toBe(true)
  expect(of(422, 'MachineDeployment "md" is invalid: spec.replicas: Invalid value')).toBeNull()
})

test.each([
  [
    403,
    `machinedeployments.cluster.x-k8s.io "md" is forbidden: ValidatingAdmissionPolicy 'drydock-guard' with binding 'drydock-guard' denied request: Drydock holds this`,
    { by: 'the admission policy drydock-guard', guard: true },
  ],
  [
    422,
    `machinedeployments.cluster.x-k8s.io "md" is forbidden: ValidatingAdmissionPolicy 'no-fridays' with binding 'b' denied request: not today`,
    { by: 'the admission policy no-fridays', guard: false },
  ],
  [403, 'admission webhook "x.example.com" denied the request: no', { by: 'the admission webhook x.example.com', guard: false }], // prettier-ignore
  [403, 'pods "p" is forbidden: exceeded quota: compute', { by: 'a rule of the cluster', guard: false }],
])('a denial by admission is told by the words of the API server', (code, message, denial) => {
  expect(of(code, message)).toMatchObject(denial)
  expect(isUnpermitted({ code, message })).toBe(false)
})

test.each([
  'HTTP 403',
  'Access denied',
  'Forbidden (user=system:serviceaccount:drydock:drydock, verb=patch, resource=machinedeployments, subresource=)',
])('a 403 that nothing explains is neither for want of a permission nor by admission: %s', (message) => {
  expect(of(403, message)).toBeNull()
  expect(isUnpermitted({ code: 403, message })).toBe(false)
})
