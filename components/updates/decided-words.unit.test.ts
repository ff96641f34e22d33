import { describe, expect, it } from 'vitest'
import type { ChangeSet } from '@/lib/domain/changes/types'
import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import { rejectedShort } from './rejected-words'
import { change, decided } from './testing'
import { isRejectedSince } from './rejected-words'
import { decidedReason, decidedSentence, headlineOf } from './words'

describe('what its policy allows in neither way', () => {
  const forbidden = 'The policy p allows in place only, and nothing else instead. No updater covers a.'
  const said = (part: object, more: Partial<ChangeDto> = {}) =>
    headlineOf(change({ outlook: { ...change({}).outlook, ...part }, ...more }), null, {
      ...{ way: 'replace', due: false, forbidden },
    })
  it('is no rollout that somebody could approve', () => {
    const left = { inPlace: null, uncovered: ['spec.failureDomain'] }
    const held = 'Held: its policy allows in place only, and nobody covers'
    expect(said(left)).toBe(`${held} spec.failureDomain.`)
    expect(said({ ...left, uncovered: ['a', 'b', 'c', 'd', 'e'] })).toBe(`${held} a, b, c and 2 more.`)
    expect(said({ inPlace: null })).toBe(`Held: ${forbidden}`)
  })
  it('names what changes where nobody is asked about it, and why', () => {
    const field = (object: string, path: string, more: object = {}) => ({ object, path, ...more })
    const fields = [
      // Of two old revisions.
      ...[field('machine', 'version'), field('machine', 'version')],
      ...[field('machine', 'x', { always: true }), field('bootstrap', 'a')],
      ...[field('bootstrap', 'b'), field('bootstrap', 'c'), field('bootstrap', 'd')],
    ]
    const changeSet = { pairs: [], fields } as unknown as ChangeSet
    const given = { ...change({ outlook: { ...change({}).outlook, inPlace: null, whyNotInPlace: 'They are off.' } }) }
    const standing = { way: 'replace' as const, due: false, forbidden }
    const named = 'machine: version, bootstrap: a, bootstrap: b and 2 more'
    expect(headlineOf({ ...given, changeSet }, null, standing)).toBe(
      `Held: its policy allows in place only, and it cannot be updated in place now. They are off. It changes ${named}.`,
    )
    given.outlook.whyNotInPlace = 'One is ill. Wait until it is well, or approve replacing.'
    expect(headlineOf({ ...given, changeSet }, null, standing)).toContain('Wait until it is well. It changes')
    given.outlook.whyNotInPlace = ''
    expect(headlineOf({ ...given, changeSet }, null, standing)).toBe(
      `Held: its policy allows in place only, and ${named} cannot be changed in place.`,
    )
  })
  it('says why some are replaced in any case', () => {
    const pairs = [{ certainReplace: 'spec.rollout.after has passed.' }]
    const some = 'The policy p allows in place only, and 1 machine of this would be replaced.'
    const given = { ...change({}), changeSet: { pairs, fields: [] } as unknown as ChangeSet }
    expect(headlineOf(given, null, { way: 'replace', due: false, forbidden: some })).toBe(
      `Held: ${some} spec.rollout.after has passed.`,
    )
  })
  it('but not while nobody knows, and not once it is under way', () => {
    const unknown = { ...change({}).outlook.replace, headline: 'Not known.' }
    expect(said({ inPlace: null, unknown })).not.toContain('Held')
    expect(said({}, { state: 'running' })).not.toContain('Held')
  })
})

it('what stopped by itself, and was approved, says so', () => {
  const stopped = { policy: 'p', why: '1 machine failed', at: '' }
  const outcome = { updatedInPlace: 1, created: 0, deleted: 0, failed: 1 }
  const given = change({ stopped, outcome })
  expect(headlineOf(given, null, { way: 'in-place', due: true })).toBe(
    'workers-a stopped by itself: 1 updated in place, 1 failed by now.',
  )
  expect(headlineOf(given, null, { way: 'in-place', due: false })).toContain('would be')
})

it('a policy that asks nobody is no person', () => {
  const by = { actorName: 'drydock calendar', mode: 'in-place' as const, byItself: 'lab' }
  expect(decidedSentence(by)).toBe('The policy lab, which asks nobody, let it go in place')
  expect(decidedSentence({ ...by, actorName: 'Ada', byItself: null })).toBe('Ada approved it in place')
})

it.each([
  [[], 'Cy'],
  [['Cy'], 'Cy'],
  [['Ada', 'Cy'], 'Ada and Cy'],
  [['Ada', 'Bo', 'Cy'], 'Ada and 2 others'],
])('everybody who approved it is named: %j', (approvers, who) => {
  const by = { actorName: 'Cy', approvers, byItself: null }
  expect(decidedSentence({ ...by, mode: 'in-place' })).toBe(`${who} approved it in place`)
  expect(decidedSentence({ ...by, mode: 'reject' })).toBe('Cy rejected it')
})

describe('a change that is rejected', () => {
  const rejected = (reason: string | null, more: Partial<ChangeDto> = {}) =>
    change({ state: 'rejected', decision: { ...decided('reject'), reason } as ChangeDto['decision'], ...more })
  const outcome = { updatedInPlace: 4, created: 2, deleted: 0, failed: 0 }
  it('says who did it, why, what was done by then, and that the rest stays', () => {
    expect(headlineOf(rejected('bad image', { outcome }))).toBe(
      'Ada rejected this change of workers-a: “bad image”. 4 updated in place, 2 created; the rest stays as it is.',
    )
    const before = { inPlace: 6, created: 2, deleted: 0 }
    const more = rejected('bad image', { outcome, outlook: { ...change({}).outlook, before } })
    expect(headlineOf(more)).toBe(
      'Ada rejected this change of workers-a: “bad image”. 4 updated in place, 2 created; what has begun goes on to its end; the rest stays as it is.',
    )
    const left = { ...change({}).outlook, before: { inPlace: 5, created: 2, deleted: 0, outOfService: 1 } }
    expect(headlineOf(rejected('bad image', { outcome, outlook: left }))).toBe(
      'Ada rejected this change of workers-a: “bad image”. 4 updated in place, 2 created; 1 machine stays out of service until its group goes on; the rest stays as it is.',
    )
    expect(headlineOf(rejected(null))).toBe('Ada rejected this change of workers-a. All of it stays as it is.')
    expect(headlineOf(rejected('x'.repeat(400)))).toMatch(/“x{119}…”\. All of it/)
  })
  it('says how many have approved it after that, where more are asked for', () => {
    const since = { way: 'in-place' as const, given: 1, otherwise: 0, needed: 3, due: false, forbidden: null }
    expect(headlineOf(rejected(null), null, since)).toBe(
      'Ada rejected this change of workers-a. All of it stays as it is. By now it has 1 of 3 approvals: with as many as are asked for it goes after all.',
    )
    expect(rejectedShort(decided('reject'), since)).toBe('Rejected by Ada, 1 of 3 approvals since')
    expect(rejectedShort(decided('reject'), { ...since, given: 0 })).toBe('Rejected by Ada')
    expect(rejectedShort(decided('reject'), null)).toBe('Rejected by Ada')
  })
  it('but not where it was approved since, and goes when its time comes', () => {
    expect(headlineOf(rejected('no'), null, { way: 'in-place', due: true })).toContain('will be updated in place')
  })
  it('nor is anything promised that no window lets go', () => {
    const of = (opens: string | null) => {
      const timing = { open: false, why: 'window', opens, besides: [] } as unknown as ListedStanding['timing']
      return headlineOf(change({}), null, { way: 'in-place', due: true, timing })
    }
    expect([of('2026-11-28T21:00:00Z'), of(null)]).toEqual([
      expect.stringContaining('will be updated in place'),
      expect.stringContaining('would be updated in place'),
    ])
  })
  it('what was said before that lets it go no more', () => {
    const [before, after] = ['2026-11-23T10:00:00.000Z', '2026-11-23T12:00:00.000Z']
    const at = (recordedAt: string) => ({ ...rejected('no').decision!, recordedAt })
    expect(isRejectedSince({ state: 'rejected', decision: at(after) }, before)).toBe(true)
    expect(isRejectedSince({ state: 'rejected', decision: at(before) }, after)).toBe(false)
    expect(isRejectedSince({ state: 'waiting', decision: at(after) }, before)).toBe(false)
  })
})

it.each([
  ['in-place', ['Ada', 'Bo', 'Cy'], null],
  ['replace', ['Cy'], 'CVE'],
  ['in-place', [], 'CVE'],
  ['reject', ['Ada', 'Bo'], 'CVE'],
] as const)('nobody is given somebody else’s reason: %s by %j', (mode, approvers, reason) =>
  expect(decidedReason({ mode, approvers: [...approvers], reason: 'CVE' })).toBe(reason),
)
