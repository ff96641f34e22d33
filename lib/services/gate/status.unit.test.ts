import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { gateStatusOf, HOOKS_NEEDED } from './status'
import { maskToken } from './refusal'

const spec = { clientConfig: { url: 'https://gate:9443/c/x/y', caBundle: 'Y2E=' }, namespaceSelector: {} }
const registration = (condition: object, generation = 2): KubeObject => ({
  apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
  kind: 'ExtensionConfig',
  metadata: { name: 'drydock', uid: 'u', resourceVersion: '1', generation, creationTimestamp: '' },
  spec,
  status: {
    conditions: [{ type: 'Discovered', status: 'True', ...condition }],
    handlers: HOOKS_NEEDED.map((hook) => ({ name: `${hook.toLowerCase()}.drydock`, requestHook: { hook } })),
  },
})

test.each([
  [{ observedGeneration: 2 }, 'ok'],
  [{}, 'ok'],
  [{ observedGeneration: 1 }, 'not-discovered'],
  [{ status: 'False', observedGeneration: 2 }, 'not-discovered'],
])('discovered %j: %s', (condition, state) => {
  expect(gateStatusOf([registration(condition)], spec).state).toBe(state)
})

test('where RuntimeSDK is off, it is not the address that is to blame', () => {
  const undiscovered = [registration({ status: 'False' })]
  expect(gateStatusOf(undiscovered, spec, true)).toMatchObject({
    ...{ state: 'not-discovered', sentence: 'RuntimeSDK is off in the managers: nobody asks.' },
  })
  expect(gateStatusOf(undiscovered, spec).sentence).toContain('cannot reach its address')
})

test('fields that say nothing are no change', () => {
  const { namespaceSelector: _selector, ...rest } = spec
  const stored = { ...registration({}), spec: { ...rest, settings: {} } }
  expect(gateStatusOf([stored], spec)).toMatchObject({ state: 'ok', differences: [] })
})

test.each(['', 'SECRET-token_1', 'SECRET'])('the token %j is masked', (token) => {
  const masked = maskToken(`"https://g:9443/c/0b54b1b3-7e1c-4f0e-9d5e-0123456789ab/${token}" and more`)
  expect(masked).toBe('"https://g:9443/c/…" and more')
})
