import { expect, test } from 'vitest'
import type { JsonObject } from '../json'
import { notStored, pathsOf } from './stored'

const skew = { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.16.0', rhcosVersion: null } }
const stored = { mode: 'Manual', manual: { ocpVersion: '4.16.0', mode: 'OCPVersion' } }
const all = [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'All' } }]
const patch = (spec: JsonObject): JsonObject => ({ metadata: { resourceVersion: '7' }, spec })

test.each<[what: string, sent: JsonObject, spec: JsonObject, missing: string[]]>([
  ['as it was sent', { bootImageSkewEnforcement: skew }, { bootImageSkewEnforcement: stored, logLevel: 'Normal' }, []],
  [
    'a sibling that was to go',
    { bootImageSkewEnforcement: skew },
    { bootImageSkewEnforcement: { ...stored, manual: { ...stored.manual, rhcosVersion: '9.6.1-0' } } },
    ['spec.bootImageSkewEnforcement'],
  ],
  ['dropped', { bootImageSkewEnforcement: skew }, {}, ['spec.bootImageSkewEnforcement']],
  ['deleted', { bootImageSkewEnforcement: null }, {}, []],
  [
    'not deleted',
    { bootImageSkewEnforcement: null },
    { bootImageSkewEnforcement: stored },
    ['spec.bootImageSkewEnforcement'],
  ],
  [
    'one half of two',
    { bootImageSkewEnforcement: skew, managedBootImages: { machineManagers: all } },
    { managedBootImages: { machineManagers: all } },
    ['spec.bootImageSkewEnforcement'],
  ],
  [
    'the other half',
    { bootImageSkewEnforcement: null, managedBootImages: { machineManagers: all } },
    {},
    ['spec.managedBootImages'],
  ],
  [
    'a list with one more',
    { managedBootImages: { machineManagers: all } },
    { managedBootImages: { machineManagers: [...all, ...all] } },
    ['spec.managedBootImages'],
  ],
  [
    'an empty list, which is none that is absent',
    { managedBootImages: { machineManagers: [] } },
    { managedBootImages: {} },
    ['spec.managedBootImages'],
  ],
  ['a switch', { paused: true }, { paused: false }, ['spec.paused']],
])('%s', (_, sent, spec, missing) => {
  expect(notStored(patch(sent), { metadata: { resourceVersion: '8' }, spec })).toEqual(missing)
})

test('data of a ConfigMap, and which fields a patch decides', () => {
  const gate = { metadata: { resourceVersion: '7' }, data: { 'ack-4.18-x': 'true' } }
  expect(notStored(gate, { data: { 'ack-4.18-x': 'true', other: 'true' } })).toEqual([])
  expect(notStored(gate, { data: { 'ack-4.18-x': 'false' } })).toEqual(['data.ack-4.18-x'])
  expect(pathsOf(gate)).toEqual([['data', 'ack-4.18-x']])
})

test('an annotation that was to go is gone, also where there are none', () => {
  const unmark: JsonObject = { metadata: { annotations: { 'a/b': null } }, spec: { paused: true } }
  expect(pathsOf(unmark)).toEqual([
    ['metadata', 'annotations', 'a/b'],
    ['spec', 'paused'],
  ])
  expect(notStored(unmark, { metadata: {}, spec: { paused: true } })).toEqual([])
  expect(notStored(unmark, { metadata: { annotations: { 'a/b': 'x' } }, spec: { paused: true } })).toEqual([
    'metadata.annotations.a/b',
  ])
})
