import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { Quoted } from '@/lib/domain/skew/floors'
import { skewRows } from './skew-rows'
import { objects, SCENARIOS } from './testing/samples'

const POOL = { status: 'False', reason: 'DegradedPool', message: 'One or more machine config pools are degraded' }
const SKEW = { status: 'False', reason: 'ClusterBootImageSkewError' }

/** Manual, recorded as RHCOS 9.6. */
function rows(release: string | string[], upgradeable: object | null, quoted?: Quoted | null) {
  const [version, ...past] = [release].flat().reverse()
  const clusterVersion = structuredClone(SCENARIOS['manual-in-range']!.clusterVersion)
  Object.assign(clusterVersion.status as JsonObject, {
    history: [...past.map((to) => ({ state: 'Partial', version: to })), { state: 'Completed', version }],
    desired: { version },
  })
  const operator = structuredClone(SCENARIOS['manual-in-range']!.clusterOperator)
  const conditions = upgradeable ? [{ type: 'Upgradeable', ...upgradeable }] : []
  operator.status = { ...(operator.status as JsonObject), conditions } as JsonObject
  return skewRows({ ...objects('manual-in-range', [], { clusterVersion, operator }), quoted }, true)
}
const below = (floor: string) => ({
  ...SKEW,
  message: `Upgrades have been disabled because the cluster is using RHCOS boot image version 9.6.20251023-0(RHEL version: 9.6), which is below the minimum required RHEL version ${floor}. To enable upgrades, please update`,
})

it.each([POOL, null])(
  'nothing is in range by a floor that nobody knows, where the operator says nothing of it: %j',
  (said) => {
    const { judgement, distance } = rows('5.3.1', said)
    expect(judgement).toEqual({
      verdict: 'unknown',
      sentence:
        'Acknowledged: RHCOS 9.6.20251023-0 (RHEL 9.6), which is not below the newest floor that is known, RHEL 9.2. That of OpenShift 5.3.1 may be higher. Whether boot images keep updates closed is not known.',
      blocks: null,
    })
    expect(distance).toBeNull()
  },
)

it('it is, where the operator says that it keeps nothing closed', () => {
  expect(rows('5.3.1', { status: 'True', reason: 'AsExpected' }).judgement).toEqual({
    verdict: 'ok',
    sentence:
      'In range by the word of the operator. Acknowledged: RHCOS 9.6.20251023-0 (RHEL 9.6); the newest floor that is known is RHEL 9.2. Boot images keep nothing closed.',
    blocks: null,
  })
})

it('nothing is in range where the operator closes updates for boot images, in words that name no floor', () => {
  const message = 'Upgrades have been disabled because boot images are too old.'
  for (const release of ['4.23.1', '5.3.1']) {
    const { verdict, sentence, blocks } = rows(release, { ...SKEW, message }).judgement
    expect(verdict).toBe('unknown')
    expect(sentence).toMatch(/^Acknowledged: .* Its ClusterOperator keeps updates closed for its boot images: Upgrades/)
    expect(sentence).not.toMatch(/not known\.|nothing closed/)
    expect(blocks).toContain('are closed')
  }
})

const WORDS = below('9.8').message
const FAILS =
  'Upgrades have been disabled due to boot image update failures: Boot image controller is degraded: 1 Degraded'
// As the Cluster Version Operator writes them: pkg/cvo/upgradeable.go until 4.22, then pkg/cvo/status.go and pkg/risk/upgradeable.
const OF = (name: string, said: string) =>
  `Cluster operator ${name} should not be upgraded between minor or major versions: ${said}`
const SEVERAL = (said: string) =>
  `Multiple cluster operators should not be upgraded between minor or major versions:\n* ${OF('etcd', 'NotYet: no')}\n* ${OF('machine-config', `${SKEW.reason}: ${said}`)}`
const REASONS = 'Cluster should not be upgraded between minor or major versions for multiple reasons:'
const before422 = (said: string) => said.replaceAll(' or major', '')

it.each([
  ['before 4.22', SKEW.reason, before422(OF('machine-config', WORDS)), '9.8'],
  ['before 4.22, two', 'ClusterOperatorsNotUpgradeable', before422(SEVERAL(WORDS)), '9.8'],
  ['4.22', SKEW.reason, OF('machine-config', WORDS), '9.8'],
  ['4.22, two', 'ClusterOperatorsNotUpgradeable', SEVERAL(WORDS), '9.8'],
  [
    '4.22, with an acknowledgement',
    'MultipleReasons',
    `${REASONS} AdminAckRequired,${SKEW.reason}\n* Ack.\n* ${OF('machine-config', WORDS)}`,
    '9.8',
  ],
  ['4.22, two, failing', 'ClusterOperatorsNotUpgradeable', SEVERAL(FAILS), null],
  ['4.23 and later', 'RiskNameNotCompatibleWithReasonProperty', WORDS, '9.8'],
  ['4.23 and later, two', 'MultipleReasons', `${REASONS}\n* No.\n* ${WORDS}`, '9.8'],
  ['4.23 and later, failing', 'RiskNameNotCompatibleWithReasonProperty', FAILS, null],
  ['in words that name no floor', SKEW.reason, undefined, null],
])(
  'where its ClusterOperator is not heard, what ClusterVersion repeats of it counts: %s',
  (_, reason, message, rhel) => {
    const clusterVersion = structuredClone(SCENARIOS['manual-in-range']!.clusterVersion)
    Object.assign(clusterVersion.status as JsonObject, {
      conditions: [{ type: 'Upgradeable', status: 'False', reason, ...(message && { message }) }],
    })
    const world = objects('manual-in-range', [], { clusterVersion })
    const { judgement, evidence } = skewRows({ ...world, operator: undefined }, true)
    expect(judgement.verdict).toBe(rhel ? 'out-of-skew' : 'unknown')
    expect(judgement.sentence).not.toMatch(/nothing closed|Cluster operator|\n/)
    expect(judgement.blocks).toContain('are closed')
    expect(evidence.quoted?.rhel ?? null).toBe(rhel)
    expect(evidence.operator).toBeNull()
    // Heard, it is followed.
    expect(skewRows(world, true).judgement.verdict).toBe('ok')
  },
)

it('another reason of its ClusterVersion is none of boot images', () => {
  const clusterVersion = structuredClone(SCENARIOS['manual-in-range']!.clusterVersion)
  const message = `Cluster operator machine-config should not be upgraded between minor versions: ${POOL.message}`
  Object.assign(clusterVersion.status as JsonObject, { conditions: [{ type: 'Upgradeable', ...POOL, message }] })
  const world = objects('manual-in-range', [], { clusterVersion })
  expect(skewRows({ ...world, operator: undefined }, true).judgement.verdict).toBe('ok')
})

it.each(['4.23.1', '5.2.4'])('%s: what the operator quoted holds when another reason hides it', (release) => {
  const first = rows(release, below('9.8'))
  expect(first.judgement).toMatchObject({ verdict: 'out-of-skew' })
  const { quoted } = first.evidence
  const then = rows(release, POOL, quoted)
  expect(then.judgement).toEqual(first.judgement)
  expect(then.floor).toEqual(first.floor)
  expect(then.evidence.quoted).toEqual(quoted)
  const patched = release.replace(/\d+$/, '9')
  expect(rows(patched, POOL, quoted).judgement.verdict).toBe('out-of-skew')
})

it('it does not hold for another release, and a newer word wins', () => {
  const quoted = { release: '4.23.1', ocp: '4.16.0', rhel: '9.8' }
  expect(rows('5.0.0', POOL, quoted).judgement.verdict).toBe('ok')
  expect(rows('5.0.0', POOL, quoted).evidence.quoted).toBeNull()
  expect(rows('4.23.1', below('9.7'), quoted).floor).toEqual({ ocp: '4.16.0', rhel: '9.7', source: 'cluster' })
})

it('what the operator of the release to come quoted holds once that is complete', () => {
  const quoted = { release: '5.0.0', rhel: '9.8' }
  for (const release of ['4.23.1', '5.0.0']) expect(rows(release, POOL, quoted).judgement.verdict).toBe('out-of-skew')
})

it('one kind of version quoted is no word of the other, where it is another floor than was known', () => {
  expect(rows('4.23.1', POOL, { release: '4.23.1', ocp: '4.16.0' }).judgement.verdict).toBe('unknown')
  expect(rows('4.23.1', POOL, { release: '4.23.1', ocp: '4.13.0' }).judgement.verdict).toBe('ok')
})

describe('while an update is under way', () => {
  const [RHEL, OCP] = [
    below('9.2'),
    { ...SKEW, message: below('').message.replace(/RHEL version \./, 'version 4.16.0.') },
  ]
  const quotedBy = (said: object, history: string[], before?: Quoted | null) =>
    rows(history, said, before).evidence.quoted
  const [BEFORE, UNDER_WAY, AFTER] = [['5.1.3'], ['5.2.0', '5.1.3'], ['5.2.0']]

  it('what the operator of the release before quoted is no word of that to come, also of another kind', () => {
    const before = quotedBy(RHEL, BEFORE)
    expect(before).toEqual({ release: '5.1.3', rhel: '9.2' })
    const quoted = quotedBy(OCP, UNDER_WAY, before)
    expect(quoted).toEqual({ release: '5.2.0', ocp: '4.16.0', early: true })
    expect(rows(AFTER, POOL, quoted).judgement.verdict).toBe('unknown')
  })

  it('whose operator quotes is not known: nothing is in range by it then', () => {
    const quoted = quotedBy(RHEL, UNDER_WAY)
    expect(rows(AFTER, POOL, quoted).judgement.verdict).toBe('unknown')
    expect(rows(AFTER, { status: 'True' }, quoted).judgement.verdict).toBe('ok')
    expect(quotedBy(below('9.8'), AFTER, quoted)).toEqual({ release: '5.2.0', rhel: '9.8' })
  })
})

it('what an older Drydock kept of an update that is under way is of before it', () => {
  expect(rows('4.23.1', POOL, { release: '5.0.0', rhel: '9.8' }).evidence.quoted).toMatchObject({ early: true })
})

it('of a quote below which the operator of a later patch keeps nothing closed nothing is left', () => {
  const quoted = { release: '4.23.1', rhel: '9.8' }
  const open = { status: 'True' }
  expect(rows('4.23.2', open, quoted).evidence.quoted).toBeNull()
  expect(rows('4.23.1', open, quoted).evidence.quoted).toEqual(quoted)
  expect(rows('4.23.2', open, { ...quoted, rhel: '9.4' }).evidence.quoted).toMatchObject({ rhel: '9.4' })
})
