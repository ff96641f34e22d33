import { expect, test } from 'vitest'
import type { JsonObject } from '../json'
import { ownersOf, writersOf, type Managed } from './owners'

const SKEW = ['spec', 'bootImageSkewEnforcement']
const IMAGES = ['spec', 'managedBootImages']
const entry = (manager: string, operation: string, spec: JsonObject, subresource?: string) => ({
  ...{ manager, operation, subresource, fieldsV1: { 'f:spec': spec } },
})
const skew = { 'f:bootImageSkewEnforcement': { 'f:mode': {} } }
const lastApplied = (spec: JsonObject) => ({
  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ kind: 'MachineConfiguration', spec }),
})
const sentences = (metadata: Managed) => ownersOf(metadata, [SKEW]).map((owner) => owner.sentence)

test.each<[what: string, metadata: Managed, words: (string | RegExp)[]]>([
  ['nobody', {}, []],
  ['a person', { managedFields: [entry('kubectl-edit', 'Update', skew), entry('Mozilla', 'Update', skew)] }, []],
  ['Drydock itself', { managedFields: [entry('drydock', 'Update', skew)] }, []],
  ['the operator’s status', { managedFields: [entry('argocd-controller', 'Apply', skew, 'status')] }, []],
  [
    'Argo CD, server side',
    { managedFields: [entry('argocd-controller', 'Apply', skew)] },
    [
      'Argo CD (argocd-controller) holds spec.bootImageSkewEnforcement. Its next sync writes what the repository says again, at once where self-heal is on. For it to stay, change it at the source as well.',
    ],
  ],
  [
    'Argo CD, client side, known by the annotation',
    {
      managedFields: [entry('argocd-application-controller', 'Update', { 'f:logLevel': {} })],
      annotations: lastApplied({ bootImageSkewEnforcement: { mode: 'None' } }),
    },
    [/^Argo CD \(argocd-application-controller\) holds spec\.bootImageSkewEnforcement\./],
  ],
  [
    'Flux',
    { managedFields: [entry('kustomize-controller', 'Apply', skew)] },
    [/^Flux .* takes the field back, by force/],
  ],
  ['Flux, Helm', { managedFields: [entry('helm-controller', 'Apply', skew)] }, [/drift is corrected/]],
  ['Helm', { managedFields: [entry('helm', 'Update', skew)] }, [/^Helm \(helm\) .* next upgrade/]],
  [
    'kubectl apply',
    { managedFields: [entry('kubectl-client-side-apply', 'Update', skew)] },
    [/applies that file again/],
  ],
  [
    'kubectl apply, by what it left behind',
    { annotations: lastApplied({ bootImageSkewEnforcement: { mode: 'None' } }) },
    [/^kubectl apply/],
  ],
  ['an annotation that is no JSON', { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{' } }, []],
  [
    'some other apply',
    { managedFields: [entry('our-tool', 'Apply', skew)] },
    [/^A server-side apply \(our-tool\) .* conflict with drydock/],
  ],
  ['some other apply, of other fields', { managedFields: [entry('our-tool', 'Apply', { 'f:logLevel': {} })] }, []],
  [
    'Flux, of other fields',
    { managedFields: [entry('kustomize-controller', 'Apply', { 'f:logLevel': {} })] },
    [
      'Flux (kustomize-controller) writes this object, and does not hold spec.bootImageSkewEnforcement at present. If its source names it, its next sync writes it.',
    ],
  ],
])('%s', (_, metadata, words) => {
  const said = sentences(metadata)
  expect(said).toHaveLength(words.length)
  words.forEach((word, i) => (typeof word === 'string' ? expect(said[i]).toBe(word) : expect(said[i]).toMatch(word)))
})

test('names which of several fields, once per manager', () => {
  const both = { ...skew, 'f:managedBootImages': { 'f:machineManagers': {} } }
  const [owner, ...more] = ownersOf(
    { managedFields: [entry('argocd-controller', 'Apply', both), entry('argocd-controller', 'Update', skew)] },
    [SKEW, IMAGES],
  )
  expect(owner?.fields).toEqual(['spec.bootImageSkewEnforcement', 'spec.managedBootImages'])
  expect(more).toEqual([])
})

test('whoever holds any of the fields, the last to write at the end; a status is none of them, and what is gone is nobody’s', () => {
  const at = (time: string, manager: string, spec: JsonObject, subresource?: string) => ({
    ...entry(manager, 'Update', spec, subresource),
    time,
  })
  const managedFields = [
    at('2026-11-27T10:00:02Z', 'kubectl-patch', skew),
    at('2026-11-27T10:00:01Z', 'drydock', skew),
    at('2026-11-27T10:00:03Z', 'kubectl-edit', { 'f:logLevel': {} }),
    at('2026-11-27T10:00:04Z', 'operator', skew, 'status'),
  ]
  expect(writersOf({ managedFields }, [SKEW.join('.')])).toEqual(['drydock', 'kubectl-patch'])
  expect(writersOf({ managedFields }, [IMAGES.join('.')])).toEqual([])
})

const limit = { 'f:mode': {}, 'f:manual': { 'f:mode': {}, 'f:ocpVersion': {} } }
const drydockLast = (left: JsonObject, ofOthers: JsonObject): Managed['managedFields'] => [
  { ...entry('argocd-controller', 'Apply', { 'f:bootImageSkewEnforcement': ofOthers }), time: '2026-11-30T00:56:17Z' },
  {
    ...entry('drydock', 'Update', { 'f:bootImageSkewEnforcement': left, 'f:managedBootImages': {} }),
    time: '2026-11-30T00:57:25Z',
  },
]

test.each<[what: string, left: JsonObject, ofOthers: JsonObject, last: string]>([
  ['the emptied struct is left over to it', {}, limit, 'argocd-controller'],
  ['only the struct itself is left over to it', { '.': {} }, limit, 'argocd-controller'],
  ['an emptied struct further in is left over to it', { 'f:manual': { '.': {} } }, limit, 'argocd-controller'],
  ['it holds a part that the other only said again', { 'f:mode': {} }, limit, 'argocd-controller'],
  ['it holds the value that counts', { 'f:manual': { 'f:ocpVersion': {} } }, { 'f:mode': {} }, 'drydock'],
  ['both hold the same', limit, limit, 'drydock'],
  ['the struct is all that there is', {}, {}, 'drydock'],
])('who wrote another part of the object last did not write this one where %s', (_, left, ofOthers, last) => {
  const managedFields = drydockLast(left, ofOthers)
  expect(writersOf({ managedFields }, [SKEW.join('.')]).at(-1)).toBe(last)
})
