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
import { valueAt } from './canonical'
import { initForm, joinForm } from './kubeadm'
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

  test('does not depend on the order of keys or on what the provider writes', () => {
    fc.assert(
      fc.property(spec, spec, (a, b) => {
        const noisy = { ...(shuffled(a) as JsonObject), providerID: 'x://1' }
        expect(of(noisy, shuffled(b) as JsonObject)).toBe(of(a, b))
      }),
    )
  })

  test.each<[string, Json]>([
    ['an empty object, which may switch something on', {}],
    ['an empty list', []],
    ['an empty text', ''],
    ['null', null],
  ])('%s is something in a template', (_what, empty) => {
    const templates = (field?: Json) => {
      const side = { ...{ a: 1 }, ...(field === undefined ? {} : { spotMarketOptions: field }) }
      return { machine: {}, infrastructure: side, bootstrap: side, workers: true } as const
    }
    expect(changesBetween(templates(), templates(empty))).toEqual([
      { object: 'infrastructure', path: 'spotMarketOptions', desired: empty },
      { object: 'bootstrap', path: 'spotMarketOptions', desired: empty },
    ])
  })

  test('rules that replace by the clock do not stand in the question, and do not count', () => {
    const content = changesOf('machineSetHeld')
    const rule: FieldChange = { object: 'machine', path: 'rollout.after', desired: '2030-01-01T00:00:00Z' }
    expect(fingerprint(OWNER, [...content, rule])).toBe(fingerprint(OWNER, content))
    const inTemplate: FieldChange = { ...rule, object: 'bootstrap' }
    expect(fingerprint(OWNER, [...content, inTemplate])).not.toBe(fingerprint(OWNER, content))
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

describe('kubeadm configs of control planes', () => {
  const bootstrap = (a: JsonObject, b: JsonObject) =>
    changesBetween({ machine: {}, bootstrap: a }, { machine: {}, bootstrap: b })
  const joined = (nodeRegistration: JsonObject, more: JsonObject = {}): JsonObject => ({
    joinConfiguration: { controlPlane: {}, nodeRegistration, ...more },
  })
  const kubelet = { kubeletExtraArgs: [{ name: 'v', value: '4' }] }
  test.each<[string, JsonObject, JsonObject]>([
    ['init form and join form', { initConfiguration: { nodeRegistration: kubelet } }, joined(kubelet)],
    ['defaults', { format: 'cloud-config', ...joined({ imagePullPolicy: 'IfNotPresent' }) }, joined({})],
    ['discovery', joined({}, { discovery: { bootstrapToken: { token: 't' } } }), joined({})],
    ['endpoint and DNS', { clusterConfiguration: { controlPlaneEndpoint: 'a:1', dns: { imageTag: 'v1' } } }, {}],
    ['what is empty', { files: [], ntp: {}, ...joined({ name: '' }) }, joined({})],
    [
      'time-outs that conversion left beside an init form',
      { initConfiguration: { nodeRegistration: kubelet }, joinConfiguration: { timeouts: { tlsBootstrapSeconds: 9 } } },
      joined(kubelet),
    ],
  ])('%s make no difference', (_, a, b) => expect(bootstrap(a, b)).toEqual([]))

  test.each<[string, JsonObject, JsonObject, string]>([
    ['no taints are not the default taints', joined({}), joined({ taints: [] }), 'nodeRegistration'],
    [
      'nor beside others',
      joined({ name: 'n' }),
      joined({ name: 'n', taints: [] }),
      'joinConfiguration.nodeRegistration.taints',
    ],
    ['pulling one by one', joined({}), joined({ imagePullSerial: true }), 'nodeRegistration'],
    [
      'a gate of the kubelet’s local mode',
      { clusterConfiguration: { featureGates: { ControlPlaneKubeletLocalMode: true } } },
      {},
      'clusterConfiguration',
    ],
  ])('%s', (_, a, b, path) => expect(bootstrap(a, b)).toMatchObject([{ path: expect.stringContaining(path) }]))

  test.each<[string, boolean]>([
    ['v1.30.9', false],
    ['v1.31.0', true],
    ['v1.35.9', true],
    ['v1.36.0-rc.0', false],
  ])('with %s the control plane sets the local mode: %s', (version, set) => {
    const gates = (config: JsonObject) =>
      [joinForm(config, version), initForm(config, version)].map((form) =>
        valueAt(form, 'clusterConfiguration', 'featureGates', 'ControlPlaneKubeletLocalMode'),
      )
    expect(gates({})).toEqual(set ? [true, true] : [undefined, undefined])
    const chosen = { clusterConfiguration: { featureGates: { ControlPlaneKubeletLocalMode: false } } }
    expect(gates(chosen)).toEqual([false, false])
  })
})

describe('what an object has of what is wanted', () => {
  const has = (object: 'infrastructure' | 'bootstrap', there: JsonObject, desired: Json) =>
    hasDesired({ machine: {}, [object]: there, workers: true }, { object, path: 'a', desired }, 'pair', plain)
  test.each<[string, JsonObject, Json, boolean, boolean]>([
    ['the same', { a: { b: 1 } }, { b: 1 }, true, true],
    ['more inside: a default of the provider, or somebody’s', { a: { b: 1, c: 2 } }, { b: 1 }, true, false],
    ['more in the items of a list', { a: [{ b: 1, c: 2 }] }, [{ b: 1 }], true, false],
    ['more where nothing was asked for', { a: { maxPrice: 9 } }, {}, true, false],
    ['another value', { a: { b: 2 } }, { b: 1 }, false, false],
    ['another item more', { a: [{ b: 1 }, { b: 2 }] }, [{ b: 1 }], false, false],
    ['nothing of it', {}, { b: 1 }, false, false],
    ['what is empty, left out by a typed object', {}, {}, false, false],
    ['the same inside of a whole', { a: { b: 1 } }, { b: 1, c: {} }, false, false],
    ['a key of every object', { a: {} }, { constructor: 1 }, false, false],
  ])('%s', (_, there, desired, infrastructure, bootstrap) => {
    expect(has('infrastructure', there, desired)).toBe(infrastructure)
    expect(has('bootstrap', there, desired)).toBe(bootstrap)
  })

  test('of a control plane, what is empty may have been left out', () => {
    const change = { object: 'infrastructure', path: 'a', desired: { b: 1, c: {} } } as const
    const has = (a: Json) => hasDesired({ machine: {}, infrastructure: { a } }, change, 'pair', plain)
    expect([has({ b: 1 }), has({ b: 1, c: {} }), has({ b: 2 })]).toEqual([true, true, false])
  })
})
