import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json'
import { NEEDS } from '../access/permissions'
import { latchDiff, latchState, type Found } from './diff'
import { evaluateCel } from './evaluate'
import { causesRollout, guarded, holdMutation, notExempt, stillHeld } from './expressions'
import { latchManifests } from './manifests'
import { HELD, PAUSED } from './names'
import type { LatchOptions } from './parts'
import { LATCHED } from './table'

const [md, kcp] = [LATCHED[0]!, LATCHED[1]!]
const machineDeployment = (template: JsonObject, more: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a', annotations: {} },
  spec: { clusterName: 'c', replicas: 3, template: { spec: template }, ...more },
})
const base = {
  version: 'v1.34.0',
  clusterName: 'c',
  bootstrap: { configRef: { kind: 'K', name: 'b' } },
  infrastructureRef: { kind: 'D', name: 'i' },
}
const controlPlane = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'a' },
  spec: {
    version: 'v1.34.0',
    replicas: 3,
    machineTemplate: { spec: { infrastructureRef: { name: 'i' } } },
    kubeadmConfigSpec: {},
    ...spec,
  },
})
const latches = (kind = md, before: JsonObject, now: JsonObject, version: 'v1beta2' | 'v1beta1' = 'v1beta2') =>
  evaluateCel(causesRollout(kind, version), { object: now, oldObject: before })

describe('which changes of a MachineDeployment are latched', () => {
  const cases: [string, boolean, JsonObject, JsonObject?][] = [
    ['nothing', false, base],
    ['version', true, { ...base, version: 'v1.34.1' }],
    ['version taken away', true, { ...base, version: undefined as unknown as string }],
    ['infrastructureRef', true, { ...base, infrastructureRef: { kind: 'D', name: 'j' } }],
    ['bootstrap', true, { ...base, bootstrap: { dataSecretName: 's' } }],
    ['failureDomain added', true, { ...base, failureDomain: 'z1' }],
    ['a field that we do not know', true, { ...base, something: 'new' }],
    ['replicas', false, base, { replicas: 5 }],
    ['time-outs', false, { ...base, deletion: { nodeDrainTimeoutSeconds: 1 } }],
    ['taints, gates, minReadySeconds', false, { ...base, taints: [], readinessGates: [], minReadySeconds: 3 }],
    ['rollout.after', true, base, { rollout: { after: '2026-01-01T00:00:00Z' } }],
    ['maxSurge', false, base, { rollout: { strategy: { rollingUpdate: { maxSurge: 2 } } } }],
    ['strategy type', true, base, { rollout: { strategy: { type: 'OnDelete' } } }],
  ]
  const clean = (o: JsonObject) => JSON.parse(JSON.stringify(o)) as JsonObject
  test.each(cases)('%s: %s', (_, expected, template, more) => {
    const before = machineDeployment(base)
    const now = clean(machineDeployment(template, more))
    expect(latches(md, before, now)).toBe(expected)
    expect(latches(md, now, before)).toBe(expected)
  })

  test('v1beta1 has its own names', () => {
    const before = machineDeployment(base)
    expect(latches(md, before, machineDeployment(base, { rolloutAfter: 'x' }), 'v1beta1')).toBe(true)
    expect(latches(md, before, machineDeployment({ ...base, nodeDrainTimeout: '5s' }), 'v1beta1')).toBe(false)
  })
})

describe('which changes of a control plane are latched', () => {
  const cases: [string, boolean, JsonObject][] = [
    ['version', true, { version: 'v1.34.1' }],
    ['template', true, { machineTemplate: { spec: { infrastructureRef: { name: 'j' } } } }],
    [
      'time-outs',
      false,
      { machineTemplate: { spec: { infrastructureRef: { name: 'i' }, deletion: { nodeDrainTimeoutSeconds: 3 } } } },
    ],
    ['rollout.before', true, { rollout: { before: { certificatesExpiryDays: 9 } } }],
    ['maxSurge', false, { rollout: { strategy: { rollingUpdate: { maxSurge: 0 } } } }],
    ['remediation', false, { remediation: { maxRetry: 3 } }],
    ['files', true, { kubeadmConfigSpec: { files: [{ path: '/a' }] } }],
    ['clusterConfiguration', true, { kubeadmConfigSpec: { clusterConfiguration: { apiServer: { x: 1 } } } }],
  ]
  test.each(cases)('%s: %s', (_, expected, spec) => {
    expect(latches(kcp, controlPlane({}), controlPlane(spec))).toBe(expected)
    expect(latches(kcp, controlPlane(spec), controlPlane({}))).toBe(expected)
  })

  test('what kubeadm settings propagate in place is not latched where the section exists', () => {
    const kubeadm = (more: JsonObject) => controlPlane({ kubeadmConfigSpec: more })
    const before = { clusterConfiguration: { etcd: {} }, joinConfiguration: { nodeRegistration: {}, timeouts: {} } }
    const now = {
      clusterConfiguration: { etcd: {}, dns: { imageTag: 'x' }, controlPlaneEndpoint: 'e' },
      joinConfiguration: {
        nodeRegistration: {},
        discovery: { token: 't' },
        timeouts: { controlPlaneComponentHealthCheckSeconds: 3 },
      },
    }
    expect(latches(kcp, kubeadm(before), kubeadm(now))).toBe(false)
    expect(
      latches(kcp, kubeadm(before), kubeadm({ ...now, joinConfiguration: { nodeRegistration: { name: 'n' } } })),
    ).toBe(true)
  })
})

describe('the mutation, as cel-js reads it', () => {
  /** cel-js has no object types: `Object{metadata: …}` becomes `{"metadata": …}`. */
  const withoutObjectTypes = (expression: string): string =>
    expression.replace(/\bObject(?:\.\w+)*\{/g, '{').replace(/([{,]\s*)([A-Za-z_]\w*):/g, '$1"$2":')
  const apply = (before: JsonObject, now: JsonObject) =>
    evaluateCel(withoutObjectTypes(holdMutation(md)), { object: now, oldObject: before }) as {
      metadata: { annotations: object }
    }

  test('pauses and says why', () => {
    const { metadata } = apply(machineDeployment(base), machineDeployment({ ...base, version: 'v1.34.1' }))
    expect(metadata.annotations).toEqual({
      [PAUSED]: 'drydock',
      [HELD]: 'Waiting for approval in Drydock: to version v1.34.1',
    })
  })

  test('leaves a pause that is there', () => {
    const now = {
      ...machineDeployment({ ...base, failureDomain: 'z' }),
      metadata: { annotations: { [PAUSED]: 'mine' } },
    }
    expect(apply(machineDeployment(base), now).metadata.annotations).toEqual({
      [HELD]: "Waiting for approval in Drydock: the MachineDeployment's machines would be rolled out",
    })
  })
})

describe('the guard', () => {
  const annotations = fc.dictionary(fc.constantFrom(PAUSED, HELD, 'other'), fc.constantFrom('drydock', '', 'mine'))
  test('lets pass exactly what leaves hold and pause in place', () => {
    fc.assert(
      fc.property(annotations, fc.option(annotations), (before, now) => {
        const oldObject = { metadata: { annotations: before } }
        const object = { metadata: now ? { annotations: now } : {} }
        const isGuarded = HELD in before || before[PAUSED] === 'drydock'
        const kept = [HELD, PAUSED].every((key) => !(key in before) || (now !== null && key in now))
        expect(evaluateCel(guarded(), { oldObject, object })).toBe(isGuarded)
        expect(evaluateCel(stillHeld(), { oldObject, object })).toBe(kept)
      }),
    )
  })

  test('exempts Drydock and the break-glass group, and nobody else', () => {
    const applies = (userInfo: object) => evaluateCel(notExempt('dry"dock', 'bg'), { request: { userInfo } })
    expect(applies({ username: 'dry"dock' })).toBe(false)
    expect(applies({ username: 'x', groups: ['a', 'bg'] })).toBe(false)
    expect(applies({ username: 'x', groups: ['system:masters'] })).toBe(true)
    expect(applies({ username: 'drydock' })).toBe(true)
  })
})

describe('manifests', () => {
  const options: LatchOptions = {
    form: 'policy-v1',
    identity: 'drydock',
    breakGlassGroup: 'bg',
    governs: 'all',
    webhook: { url: 'https://gate/latch', caBundle: 'x' },
  }
  const forms = ['policy-v1', 'policy-v1beta1', 'webhook'] as const
  const named = (o: JsonObject) => (o.metadata as { name: string }).name

  test.each(forms)('%s: every object is ours, by a name that the RBAC manifest grants', (form) => {
    const granted = NEEDS.flatMap((n) => (n.group === 'admissionregistration.k8s.io' ? (n.names ?? []) : []))
    for (const object of latchManifests({ ...options, form })) {
      expect(granted).toContain(named(object))
      expect(object).toMatchObject({ metadata: { labels: { 'app.kubernetes.io/managed-by': 'drydock' } } })
    }
  })

  test('every policy has its binding, and fails closed', () => {
    const objects = latchManifests(options)
    const names = (kind: string) =>
      objects
        .filter((o) => o.kind === kind)
        .map(named)
        .sort()
    expect(names('MutatingAdmissionPolicy')).toEqual(names('MutatingAdmissionPolicyBinding'))
    expect(names('ValidatingAdmissionPolicy')).toEqual(names('ValidatingAdmissionPolicyBinding'))
    for (const o of objects)
      if (!o.kind?.toString().endsWith('Binding'))
        expect(o).toMatchObject({ spec: { failurePolicy: 'Fail', matchConstraints: { matchPolicy: 'Equivalent' } } })
  })

  test('policy and webhook ask the same question', () => {
    const conditions = (form: LatchOptions['form']) => {
      const text = JSON.stringify(latchManifests({ ...options, form }))
      return LATCHED.map((kind) => text.includes(JSON.stringify(causesRollout(kind, 'v1beta2')).slice(1, -1)))
    }
    for (const form of forms) expect(conditions(form)).toEqual([true, true])
  })

  test('governance: labels select in the binding; none leaves the guard alone', () => {
    const text = (o: Partial<LatchOptions>) => JSON.stringify(latchManifests({ ...options, ...o }))
    expect(text({ governs: 'namespace-label', labelKey: 'k', labelValue: 'v' })).toContain(
      '"namespaceSelector":{"matchLabels":{"k":"v"}}',
    )
    expect(text({ governs: 'object-label', labelKey: 'k' })).toContain(
      '"objectSelector":{"matchExpressions":[{"key":"k","operator":"Exists"}]}',
    )
    expect(() => text({ governs: 'object-label' })).toThrow('label key')
    expect(text({ governs: 'none' })).not.toContain('MutatingAdmissionPolicy')
    expect(text({ governs: 'none' })).toContain('drydock-guard')
  })

  test('a difference anywhere is found, and nothing where the server only added defaults', () => {
    const wanted = latchManifests(options)
    const found = () => JSON.parse(JSON.stringify(wanted)) as (Found & { spec: JsonObject })[]
    expect(latchState(latchDiff(wanted, found()))).toBe('intact')
    const defaulted = found()
    defaulted[0]!.spec.newer = {}
    expect(latchState(latchDiff(wanted, defaulted))).toBe('intact')
    const weaker = found()
    weaker[0]!.spec.failurePolicy = 'Ignore'
    expect(latchDiff(wanted, weaker)[0]).toMatchObject({ state: 'changed', differences: ['spec.failurePolicy'] })
    const excluded = found()
    ;(excluded[0]!.spec.matchConstraints as JsonObject).excludeResourceRules = [{ resources: ['*'] }]
    expect(latchState(latchDiff(wanted, excluded))).toBe('changed')
    expect(latchState(latchDiff(wanted, found().slice(1)))).toBe('missing')
    const foreign = found()
    foreign[0]!.metadata.labels = { 'app.kubernetes.io/managed-by': 'somebody' }
    expect(latchState(latchDiff(wanted, foreign))).toBe('not-ours')
    const unlabelled = (annotations?: Record<string, string>, spec?: JsonObject) => {
      const objects = found()
      objects[0]!.metadata = { name: objects[0]!.metadata.name, annotations }
      if (spec) objects[0]!.spec = spec
      return latchDiff(wanted, objects)[0]
    }
    const about = found()[0]!.metadata.annotations
    expect(unlabelled(about)).toMatchObject({ state: 'changed', differences: ['metadata.labels'] })
    expect(unlabelled(undefined)).toMatchObject({ state: 'changed', differences: ['metadata.labels'] })
    expect(unlabelled(about, {})).toMatchObject({ state: 'changed' })
    expect(unlabelled(undefined, {})).toMatchObject({ state: 'not-ours' })
    expect(
      latchDiff(latchManifests({ ...options, governs: 'none' }), found()).filter((f) => f.state === 'leftover'),
    ).toHaveLength(4)
  })
})
