import { expect, test } from 'vitest'
import type { Capabilities } from '@/lib/domain/capabilities'
import { keepKnown } from '@/lib/kubernetes/discovery/keep-known'
import { managesPlanes } from './managed-now'

const on = (openshift: object) => ({ uid: 'a', openshift: { managed: null, ...openshift } }) as unknown as Capabilities

test.each([
  ['read', { controlPlanes: true, skew: false }, true],
  ['not read', { controlPlanes: null, skew: true }, null],
  ['stored before it was asked for', { skew: true }, true],
])('whether the control plane’s set is managed, where the schema was %s', (_, openshift, expected) => {
  expect(managesPlanes(on(openshift), { type: 'AWS' })).toBe(expected)
  expect(managesPlanes(on(openshift), { type: 'VSphere' })).toBe(false)
})

test('of a newer release whose schema could not be read it is not known, where the one before lacked it', () => {
  const before = on({ version: '4.21.9', skew: true, controlPlanes: false })
  const kept = keepKnown(on({ version: '4.22.1', skew: null, controlPlanes: null }), before)
  expect(managesPlanes(kept, { type: 'AWS' })).toBeNull()
})
