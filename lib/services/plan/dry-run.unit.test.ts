import { expect, test } from 'vitest'
import type { KubeObject, ObjectMeta } from '@/lib/kubernetes/types'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { applierOf, asMeant } from './dry-run'
import { refusalOf } from './words'

const live = (managedFields: ObjectMeta['managedFields']): KubeObject => ({
  ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment' },
  metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', managedFields },
})

test('what the API server, the controllers and the latch wrote is not what somebody means', () => {
  const printed = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: {
      ...{ name: 'x', namespace: 'y', uid: 'u', resourceVersion: '7', generation: 3, managedFields: [] },
      ...{ creationTimestamp: 'then', ownerReferences: [], labels: { a: 'b' } },
      annotations: {
        'cluster.x-k8s.io/paused': 'drydock',
        'drydock.dev/held': 'Waiting',
        'drydock.dev/decision': 'd',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        mine: 'yes',
      },
    },
    spec: { replicas: 1 },
    status: { replicas: 1 },
  }
  expect(asMeant(printed)).toEqual({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name: 'x', namespace: 'y', labels: { a: 'b' }, annotations: { mine: 'yes' } },
    spec: { replicas: 1 },
  })
  const paused = { metadata: { name: 'x', annotations: { 'cluster.x-k8s.io/paused': 'by me' } } }
  expect(asMeant(paused)).toEqual(paused)
})

test('whoever applied it last, but no controller, and not Drydock', () => {
  const entry = (manager: string, time: string, more = {}) => ({ manager, operation: 'Apply', time, ...more })
  expect(applierOf(live(undefined))).toBeNull()
  expect(applierOf(live([entry('kubectl-edit', '3', { operation: 'Update' })]))).toBeNull()
  expect(
    applierOf(
      live([
        entry('kustomize-controller', '1'),
        entry('argocd-controller', '2'),
        entry('capi-topology', '5'),
        entry('capi-machinedeployment', '6'),
        entry('drydock', '7'),
        entry('late', '8', { subresource: 'status' }),
      ]),
    ),
  ).toBe('argocd-controller')
})

const refusal = (code: number, message: string) =>
  new KubeError(code, { kind: 'Status', code, message }, 'PATCH /apis/x')

test.each([
  [422, 'admission webhook "v" denied the request: spec.x: Invalid value', 'invalid'],
  [400, 'strict decoding error: unknown field "spec.y"', 'invalid'],
  [500, 'failed to create typed patch object (a/b): .spec.x: field not declared in schema', 'invalid'],
  [403, 'admission webhook "v" denied the request: not on Fridays', 'invalid'],
  [403, 'clusters "x" is forbidden: User "drydock" cannot patch resource "clusters" in API group', 'unknown'],
])('%i %s: %s', (code, message, outcome) => {
  expect(refusalOf(refusal(code, message), 'MachineDeployment a/b')).toMatchObject({ outcome, answer: message })
})

test('a wrong type is told as such, not in the name of the policy that met it first', () => {
  const said =
    "machinedeployments.cluster.x-k8s.io \"a\" is forbidden: policy 'drydock-machinedeployments' with binding 'drydock' denied request: error applying patch: failed to convert original object to typed object: .spec.replicas: expected numeric"
  expect(refusalOf(refusal(422, said), 'x')).toMatchObject({
    outcome: 'invalid',
    answer: 'spec.replicas: expected numeric',
  })
})

test.each([
  [refusal(500, 'Internal error occurred: failed calling webhook "v": connection refused'), 'unavailable'],
  [refusal(429, 'too many requests'), 'unavailable'],
  [refusal(401, 'Unauthorized'), 'refused'],
  [new KubeUnreachable('The connection was cut.', 'PATCH'), 'unavailable'],
])('what is not about the object makes no plan: %s', (error, code) => {
  const thrown = () => refusalOf(error, 'MachineDeployment a/b')
  expect(thrown).toThrow(ServiceError)
  expect(thrown).toThrow(expect.objectContaining({ code }))
})

test('credentials that a refusal quotes stay here', () => {
  const said = 'spec.files: Invalid value: {"path":"/x","content":"aGVsbG8=","adminPassword":"abc"}: no'
  const { answer } = refusalOf(refusal(422, said), 'x')
  expect(answer).toContain('"path":"/x"')
  expect(answer).not.toMatch(/aGVsbG8|abc/)
})
