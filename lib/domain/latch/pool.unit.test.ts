import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { levelOf, holdEnds } from '../holds'
import type { JsonObject } from '../json'
import { rolloutDigest, sameButImage } from './digest'
import { evaluateCel, heldWordsFor } from './evaluate'
import { causesRollout, guardedPool, poolStillHeld } from './expressions'
import { boundTo, holdFields, isHeld, isOurPause, leftMark, releaseFields } from './hold'
import { isOfPools, latchManifests } from './manifests'
import { HELD, POOL_PAUSED, WAITING } from './names'
import type { LatchForm, LatchOptions, PoolsHeld } from './parts'
import { strengthOf, strengthWords } from './pool-words'
import { LATCHED_POOL } from './table'
import { latchWords } from './words'

const pool = (spec: JsonObject, annotations?: Record<string, string>, name = 'worker') => ({
  kind: 'MachineConfigPool',
  metadata: { name, ...(annotations ? { annotations } : {}) },
  spec,
})
const wants = (name: string, more: JsonObject = {}) => ({ configuration: { name }, ...more })
const latches = (before: object, now: object) =>
  evaluateCel(causesRollout(LATCHED_POOL, 'v1beta2'), { object: now, oldObject: before })

describe('what is latched on a pool', () => {
  test.each([
    ['another config', true, pool(wants('b'))],
    ['the config taken away', true, pool({})],
    ['the same', false, pool(wants('a'))],
    ['paused', false, pool(wants('a', { paused: true }))],
    ['maxUnavailable', false, pool(wants('a', { maxUnavailable: 3 }))],
    ['another config of the control plane', false, pool(wants('b'), {}, 'master')],
  ])('%s: %s', (_, expected, now) => expect(latches(pool(wants('a')), now)).toBe(expected))

  test('two states have one digest exactly where the latch lets the one become the other', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const spec = fc.record({ name, paused: fc.boolean(), limit: fc.integer({ min: 1, max: 3 }) })
    fc.assert(
      fc.property(spec, spec, (one, other) => {
        const [before, now] = [one, other].map(({ name: config, paused, limit }) =>
          pool(wants(config, { paused, maxUnavailable: limit })),
        )
        const digest = (of: object) => rolloutDigest({ ...(of as ReturnType<typeof pool>), apiVersion: 'm/v1' })
        expect(latches(before!, now!)).toBe(digest(before!) !== digest(now!))
      }),
    )
  })

  test('the image that is built for it is part of its digest, and told apart', () => {
    const digest = (config: string, image?: string | null) =>
      rolloutDigest({
        ...pool(wants(config)),
        apiVersion: 'm/v1',
        ...(image === undefined ? {} : { built: { image } }),
      })!
    expect(digest('a', null)).toBe(digest('a'))
    expect(new Set([digest('a'), digest('a', 'x'), digest('a', 'y'), digest('b', 'x')]).size).toBe(4)
    expect(sameButImage(digest('a'), digest('a', 'x'))).toBe(true)
    expect(sameButImage(digest('a', 'y'), digest('a', 'x'))).toBe(true)
    expect(sameButImage(digest('a', 'x'), digest('a', 'x'))).toBe(false)
    expect(sameButImage(digest('b', 'x'), digest('a', 'x'))).toBe(false)
  })

  test('its words name the config', () =>
    expect(heldWordsFor(LATCHED_POOL, pool(wants('b')), pool(wants('a')))).toBe(`${WAITING}to b`))
})

describe('the hold of a pool', () => {
  test.each([
    ['free', wants('a'), undefined, false, false],
    ['paused by a person', wants('a', { paused: true }), undefined, false, false],
    ['held under a person’s pause', wants('a', { paused: true }), { [HELD]: 'x' }, true, false],
    ['held by Drydock', wants('a', { paused: true }), { [HELD]: 'x', [POOL_PAUSED]: 'drydock' }, true, true],
    ['words alone', wants('a'), { [HELD]: 'x' }, false, false],
    ['a mark alone', wants('a'), { [POOL_PAUSED]: 'drydock' }, false, false],
  ])('%s', (_, spec, annotations, held, ours) => {
    const object = pool(spec, annotations)
    expect([isHeld(object), isOurPause(object)]).toEqual([held, ours])
  })

  test('a person’s pause is neither marked nor taken away; Drydock’s own is', () => {
    const theirs = pool(wants('a', { paused: true }))
    expect(holdFields(theirs, 'x')).toEqual({ annotations: { [HELD]: 'x' } })
    expect(releaseFields(pool(wants('a', { paused: true }), { [HELD]: 'x' }))).toEqual({
      annotations: { [HELD]: null },
    })
    const ours = holdFields(pool(wants('a')), 'x')
    expect(boundTo('7', ours)).toEqual({
      metadata: { resourceVersion: '7', annotations: { [HELD]: 'x', [POOL_PAUSED]: 'drydock' } },
      spec: { paused: true },
    })
    expect(releaseFields(pool(wants('a', { paused: true }), { [HELD]: 'x', [POOL_PAUSED]: 'drydock' }))).toEqual({
      annotations: { [HELD]: null, [POOL_PAUSED]: null },
      spec: { paused: false },
    })
    expect(leftMark(pool(wants('a'), { [POOL_PAUSED]: 'drydock' }))).toBe(true)
  })

  test.each([
    ['resumed', wants('a', { paused: false }), { [HELD]: 'x', [POOL_PAUSED]: 'drydock' }, false],
    ['the field taken away', wants('a'), { [HELD]: 'x', [POOL_PAUSED]: 'drydock' }, false],
    ['the words taken away', wants('a', { paused: true }), { [POOL_PAUSED]: 'drydock' }, false],
    ['the mark taken away', wants('a', { paused: true }), { [HELD]: 'x' }, false],
    ['another config', wants('b', { paused: true }), { [HELD]: 'y', [POOL_PAUSED]: 'drydock' }, true],
  ])('guarded: %s', (_, spec, annotations, allowed) => {
    const oldObject = pool(wants('a', { paused: true }), { [HELD]: 'x', [POOL_PAUSED]: 'drydock' })
    const variables = { object: pool(spec, annotations), oldObject }
    expect(evaluateCel(guardedPool(), variables)).toBe(true)
    expect(evaluateCel(poolStillHeld(), variables)).toBe(allowed)
  })
})

const options: LatchOptions = {
  ...{ governs: 'all', form: 'webhook', identity: 'drydock', breakGlassGroup: 'bg' },
  ...{ webhook: { url: 'https://d/latch', caBundle: 'x' }, holds: { clusterApi: false, pools: true } },
}
const named = (more: Partial<LatchOptions> = {}) =>
  latchManifests({ ...options, ...more }).map((o) => `${String(o.kind)} ${(o.metadata as { name: string }).name}`)

test('what is installed is for pools alone, never for their status, and nothing by a label of namespaces', () => {
  expect(new Set(named())).toEqual(
    new Set([
      ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'].flatMap((kind) => [
        `${kind} drydock-guard-machineconfigpools`,
        `${kind} drydock-guard-latch`,
      ]),
      'MutatingWebhookConfiguration drydock-machineconfigpools',
    ]),
  )
  const webhook = latchManifests(options).at(-1) as unknown as {
    webhooks: { rules: unknown[]; failurePolicy: string }[]
  }
  expect(webhook.webhooks).toMatchObject([
    { failurePolicy: 'Fail', rules: [{ apiVersions: ['v1'], resources: ['machineconfigpools'] }] },
  ])
  expect(named({ governs: 'namespace-label', labelKey: 'a' }).join()).not.toContain('MutatingWebhook')
  expect(named({ form: 'watch', guard: false })).toEqual([])
  expect(named({ holds: { clusterApi: true, pools: true } }).join()).toContain('drydock-machinedeployments')
})

test('beside Cluster API’s latch that of pools is a part of its own, after it, and only where it was chosen', () => {
  for (const form of ['policy-v1', 'webhook'] as const) {
    const [both, alone] = [true, false].map((pools) =>
      latchManifests({ ...options, form, holds: { clusterApi: true, pools } }),
    )
    const ofPools = both!.filter(isOfPools)
    expect(both!.slice(0, -ofPools.length)).toEqual(alone)
    expect(both!.slice(-ofPools.length)).toEqual(ofPools)
    expect(JSON.stringify(alone)).not.toContain('"machineconfigpools"')
  }
})

test.each(['watch', 'webhook', 'policy-v1'] as const)(
  'what a held pool holds up, and what a gate that is away does, is said before: %s',
  (form) => {
    const { strength, sideEffects } = latchWords(form, {
      ...{ guard: true, governance: { governs: 'all' as const }, breakGlass: 'sos', pausesPools: true },
      ...{ holds: { clusterApi: false, pools: true }, pools: form === 'watch' ? 'pausing' : 'same-write' },
    })
    expect(sideEffects.join(' ')).toMatch(
      /does not hold up the cluster’s update.* marked as required for upgrades does:/,
    )
    expect(strength.join(' ').includes('does not complete before the gate is back')).toBe(form === 'webhook')
    expect(strength.join(' ')).toContain(
      'deleting a held pool, editing its nodeSelector, or giving a node another role',
    )
  },
)

test('each cluster is told its real strength', () => {
  expect(strengthWords(strengthOf('webhook', 'same-write', true))).toBe('latched in the same write')
  expect(strengthWords(strengthOf('webhook', 'pausing', true), 2)).toBe(
    'held by pausing: seen after it was stored; up to 2 nodes may have begun',
  )
  expect(strengthWords(strengthOf('watch', 'same-write', true), 1)).toContain('up to 1 node may have begun')
  expect(strengthWords('pausing', 2, 1)).toContain('up to 2 nodes may have begun each time: it was resumed once since')
  expect(strengthWords('pausing', null, 3)).toContain('each time: it was resumed 3 times since')
  expect(strengthWords('same-write', 2, 3)).toBe('latched in the same write')
  expect(strengthWords(strengthOf('webhook', 'lost', true))).toMatch(/^not held now/)
  expect(strengthWords(strengthOf('webhook', 'not-known', true))).toMatch(/whether it is so now is not known/)
  expect(strengthOf('webhook', 'same-write', false)).toBe('not-held')
  expect(strengthOf('none', 'same-write', true)).toBe('not-held')
  const about = { guard: true, governance: { governs: 'all' as const }, breakGlass: 'bg', pausesPools: true }
  const said = (form: LatchForm, clusterApi: boolean, pools: PoolsHeld | null) =>
    latchWords(form, { ...about, holds: { clusterApi, pools: pools !== null }, pools }).strength.join(' ')
  for (const clusterApi of [true, false]) {
    const [webhook, pausing] = [said('webhook', clusterApi, 'same-write'), said('watch', clusterApi, 'pausing')]
    for (const words of [webhook, pausing])
      expect(words).toContain('master and arbiter are never held or paused by Drydock')
    // What a gate that is away means for pools, and what to do about it.
    expect(webhook).toMatch(/operator cannot give a governed pool any configuration.*delete drydock-machineconfigpools/)
  }
  expect(said('webhook', true, 'pausing')).toMatch(
    /in that same write.*Held by pausing.*no pool is held.*master and arbiter/,
  )
  expect(said('policy-v1', true, 'same-write')).toContain('Latched in the same write')
  for (const form of ['webhook', 'policy-v1'] as const)
    expect(said(form, true, form === 'webhook' ? 'pausing' : 'same-write')).not.toContain('operator cannot give')
  expect(said('webhook', true, null)).not.toMatch(/pool/)
})

test('where Drydock may not patch pools, nobody is told that they are held by pausing', () => {
  const about = { guard: true, governance: { governs: 'all' as const }, breakGlass: 'bg', pools: 'pausing' as const }
  for (const [form, clusterApi] of [
    ['watch', false],
    ['watch', true],
    ['webhook', true],
  ] as const)
    // prettier-ignore
    for (const pausesPools of [true, false]) {
      const { why, strength } = latchWords(form, { ...about, pausesPools, holds: { clusterApi, pools: true } })
      const said = [why, ...strength].join(' ')
      expect(said.includes('Pools are not held by pausing: Drydock may not patch them.')).toBe(!pausesPools)
      if (!pausesPools) expect(said).not.toMatch(/Held by pausing|Drydock watches the governed pools/)
    }
})

test('a hold becomes dangerous two weeks before the first certificate expires, whatever policies say', () => {
  const never = { remindAfter: 'never', escalateAfter: 'never', holdLimit: 'never' }
  const ends = holdEnds(new Date('2026-12-20T00:00:00Z'))
  const at = (day: string) => levelOf(0, 'MachineConfigPool', never, ends, Date.parse(day))
  expect(at('2026-12-05T00:00:00Z')).toBe('fresh')
  expect(at('2026-12-06T00:00:00Z')).toBe('dangerous')
  expect(holdEnds(null)).toBeNull()
})
