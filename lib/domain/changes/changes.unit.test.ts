import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../json'
import {
  applyAnswer,
  changesBetween,
  composed,
  fingerprint,
  hasDesired,
  inexact,
  masked,
  revisionOf,
  upstreamEqual,
  type Question,
} from '.'
import { MASK } from './secrets'
import recorded from './testing/recorded.json'
import type { FieldChange } from './types'

const plain = (text: string): string => `digest of ${text}`
const OWNER = {
  uid: '6f3ff4b1-4f5f-4c0e-9a44-8a5f7e8f3b11',
  namespace: 'fleet',
  name: 'c1-md',
  kind: 'MachineDeployment',
}
type Recorded = keyof typeof recorded
const requestOf = (name: Recorded) =>
  structuredClone(recorded[name].request) as unknown as { current: JsonObject; desired: JsonObject }
const hookOf = (name: Recorded): Question =>
  name.startsWith('machineSet') ? 'CanUpdateMachineSet' : 'CanUpdateMachine'
const changesOf = (name: Recorded) => {
  const { current, desired } = requestOf(name)
  return changesBetween(revisionOf(hookOf(name), current), revisionOf(hookOf(name), desired))
}

describe('recorded questions of a real Cluster API', () => {
  test('each differs in exactly what was changed', () => {
    const version = [{ object: 'machine', path: 'version', current: 'v1.34.0', desired: 'v1.34.1' }]
    expect(changesOf('machineSetHeld')).toEqual(version)
    expect(changesOf('machineHeld')).toEqual(version)
    expect(changesOf('machineConfig')).toEqual([
      { object: 'bootstrap', path: 'preKubeadmCommands', desired: ['echo hello'] },
    ])
    expect(changesOf('machineSetTemplate')).toEqual([
      { object: 'machine', path: 'infrastructureRef.name', current: 'c2-md', desired: 'c2-md-v2' },
      {
        object: 'infrastructure',
        path: 'backend.inMemory.vm.provisioning.startupDuration',
        current: '1s',
        desired: '2s',
      },
    ])
  })

  test.each(['machineSetYes', 'machineYes', 'machineSetTemplate', 'machineConfig'] as const)(
    '%s: the patches that Cluster API took for "yes" make both sides equal here too',
    (name) => {
      const { current, desired } = requestOf(name)
      const answer = recorded[name].response as unknown as JsonObject
      expect(upstreamEqual(hookOf(name), current, desired)).toBe(false)
      expect(upstreamEqual(hookOf(name), applyAnswer(hookOf(name), current, answer), desired)).toBe(true)
    },
  )

  test('a patch for one object does not cover another', () => {
    const { current, desired } = requestOf('machineSetTemplate')
    const { machineSetPatch } = recorded.machineSetTemplate.response as unknown as JsonObject
    const patched = applyAnswer('CanUpdateMachineSet', current, { machineSetPatch: machineSetPatch! })
    expect(upstreamEqual('CanUpdateMachineSet', patched, desired)).toBe(false)
  })
})

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
const spec = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), json, { maxKeys: 5 }) as fc.Arbitrary<JsonObject>
const shuffled = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(shuffled)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, shuffled(inner)]),
  )
}

describe('fingerprint', () => {
  const of = (current: JsonObject, desired: JsonObject, owner = OWNER) =>
    fingerprint(
      owner,
      changesBetween({ machine: {}, infrastructure: current }, { machine: {}, infrastructure: desired }),
    )

  test('does not depend on the order of keys, on empty fields or on what the provider writes', () => {
    fc.assert(
      fc.property(spec, spec, (a, b) => {
        const noisy = { ...(shuffled(a) as JsonObject), providerID: 'x://1', 'drydock-empty': {} }
        expect(of(noisy, shuffled(b) as JsonObject)).toBe(of(a, b))
      }),
    )
  })

  test('is another one for any other value and any other owner', () => {
    fc.assert(
      fc.property(spec, fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, x, y) => {
        fc.pre(x !== y)
        expect(of(a, { ...a, field: x })).not.toBe(of(a, { ...a, field: y }))
        expect(of(a, { ...a, field: x })).not.toBe(of(a, { ...a, field: x }, { ...OWNER, uid: 'another' }))
      }),
    )
  })

  test('names of MachineSets and templates do not count, since a held question has another one each time', () => {
    const { current, desired } = requestOf('machineSetHeld')
    const before = fingerprint(OWNER, changesOf('machineSetHeld'))
    const renamed = structuredClone(desired) as { machineSet: { metadata: JsonObject } }
    renamed.machineSet.metadata = { name: 'c1-md-zzzzz', namespace: 'fleet' }
    const hook = 'CanUpdateMachineSet'
    const after = changesBetween(revisionOf(hook, current), revisionOf(hook, renamed as unknown as JsonObject))
    expect(fingerprint(OWNER, after)).toBe(before)
  })

  test('is taken over real values: two secrets differ although both are masked alike', () => {
    const file = (content: string) => ({ machine: {}, bootstrap: { files: [{ path: '/etc/x', content }] } })
    const one = changesBetween(file('old'), file('first'))
    const two = changesBetween(file('old'), file('second'))
    const shown = (changes: FieldChange[]) => masked(changes, 'pair', plain).map(({ digest: _, ...rest }) => rest)
    expect(shown(one)).toEqual(shown(two))
    expect(JSON.stringify(shown(one))).not.toContain('first')
    expect(fingerprint(OWNER, one)).not.toBe(fingerprint(OWNER, two))
  })
})

describe('composed patches', () => {
  test('set what is not there yet, too', () => {
    const side = (bootstrapConfig: JsonObject): JsonObject => ({ machine: { spec: {} }, bootstrapConfig })
    const [before, after] = [side({ kind: 'X' }), side({ kind: 'X', spec: { a: 1 } })]
    const answer = composed('CanUpdateMachine', before, after)
    expect(Object.keys(answer)).toEqual(['bootstrapConfigPatch'])
    expect(applyAnswer('CanUpdateMachine', before, answer)).toEqual(after)
  })

  test.each([[{ a: [2 ** 53] }], [{ a: { b: -(2 ** 60) } }], [{ a: Infinity }]])('%j is not exact', (value) => {
    expect(inexact(value)).toBe(true)
  })
  test.each([[{ a: [2 ** 53 - 1, 0.1, null, '9007199254740993'] }], [{}], [undefined]])('%j is exact', (value) => {
    expect(inexact(value)).toBe(false)
  })
})

describe('a masked value', () => {
  const revision = (content?: string) => ({
    machine: {},
    bootstrap: { files: [{ path: '/etc/x', ...(content ? { content } : {}) }] },
  })
  const stored = (from: string, to?: string) => masked(changesBetween(revision(from), revision(to)), 'pair', plain)

  test('is told from another one, and from none', () => {
    const [change] = stored('old', 'approved')
    expect(change).toMatchObject({ secret: true, desired: MASK })
    const has = (content?: string, pair = 'pair') => hasDesired(revision(content), change!, pair, plain)
    expect([has('approved'), has('another'), has('old'), has(), has('approved', 'of another')]).toEqual([
      ...[true, false, false, false, false],
    ])
  })

  test('without a digest is never what was approved', () => {
    const { digest: _, ...before } = stored('old', 'approved')[0]!
    expect(hasDesired(revision('approved'), before, 'pair', plain)).toBe(false)
  })

  test('that is taken away is gone or it is not', () => {
    const [change] = stored('old')
    expect(hasDesired(revision(), change!, 'pair', plain)).toBe(true)
    expect(hasDesired(revision('old'), change!, 'pair', plain)).toBe(false)
  })
})

describe('kubeadm configs', () => {
  const bootstrap = (a: JsonObject, b: JsonObject) =>
    changesBetween({ machine: {}, bootstrap: a }, { machine: {}, bootstrap: b })
  test.each([
    [
      'init form and join form',
      { initConfiguration: { nodeRegistration: { name: 'n' } } },
      { joinConfiguration: { nodeRegistration: { name: 'n' } } },
    ],
    [
      'defaults',
      { format: 'cloud-config', joinConfiguration: { nodeRegistration: { imagePullPolicy: 'IfNotPresent' } } },
      { joinConfiguration: {} },
    ],
    ['discovery', { joinConfiguration: { discovery: { bootstrapToken: { token: 't' } } } }, {}],
    ['endpoint and DNS', { clusterConfiguration: { controlPlaneEndpoint: 'a:1', dns: { imageTag: 'v1' } } }, {}],
    [
      'the kubelet’s local mode',
      { clusterConfiguration: { featureGates: { ControlPlaneKubeletLocalMode: true } } },
      {},
    ],
  ] as [string, JsonObject, JsonObject][])('%s make no difference', (_, a, b) => {
    expect(bootstrap(a, b)).toEqual([])
  })
})
