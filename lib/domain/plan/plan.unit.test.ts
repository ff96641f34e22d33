import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Outlook, RevisionPair } from '../changes/types'
import { applyPatch } from '../merge-patch'
import {
  deletedOutlook,
  EXIT_CODES,
  groupVerdict,
  newOutlook,
  planHeadline,
  PLAN_VERDICTS,
  unchangedOutlook,
  worstOf,
} from '.'

const pair: RevisionPair = { from: 'a', machines: 3, fingerprint: 'f', changes: [] }
const replace: Outlook['replace'] = { counts: { replace: 3 }, created: 3, deleted: 3, headline: '' }
const stay: Outlook['replace'] = { counts: { 'in-place': 3 }, created: 0, deleted: 0, headline: '' }
const spare: Outlook['replace'] = {
  counts: { 'in-place-with-spare': 2, replace: 1 },
  created: 1,
  deleted: 1,
  headline: '',
}
const outlook = (inPlace: Outlook['inPlace']): Outlook => ({ inPlace, replace, uncovered: [] })

describe('what is planned for a group comes to', () => {
  test.each([
    ['in-place', { pairs: [pair], outlook: outlook(stay), counts: { 'in-place': 3 }, undetermined: [] }],
    ['replace', { pairs: [pair], outlook: outlook(null), counts: { replace: 3 }, undetermined: [] }],
    ['replace', { pairs: [pair], outlook: outlook(spare), counts: { 'in-place-with-spare': 3 }, undetermined: [] }],
    ['unknown', { pairs: [pair], outlook: outlook(null), counts: { unknown: 3 }, undetermined: [] }],
    ['unknown', { pairs: [], outlook: unchangedOutlook('x', 3, 3), counts: {}, undetermined: ['a patch'] }],
    [
      'blocked',
      { pairs: [{ ...pair, missing: 't' }], outlook: outlook(null), counts: { unknown: 3 }, undetermined: [''] },
    ],
    ['nothing', { pairs: [], outlook: unchangedOutlook('x', 5, 3), counts: { 'up-to-date': 3 }, undetermined: [] }],
    ['replace', { pairs: [], outlook: unchangedOutlook('x', 1, 3), counts: { 'up-to-date': 3 }, undetermined: [] }],
  ] as const)('%s', (verdict, considered) => {
    expect(groupVerdict(considered)).toBe(verdict)
  })

  test('the worst of them, and exit codes that tell them apart', () => {
    expect(worstOf([])).toBe('nothing')
    expect(worstOf(['replace', 'in-place'])).toBe('replace')
    expect(worstOf(['invalid', 'blocked', 'nothing'])).toBe('invalid')
    expect(PLAN_VERDICTS.map((v) => EXIT_CODES[v])).toEqual([0, 0, 10, 11, 11, 12])
  })
})

test('in one sentence', () => {
  const told = (groups: Parameters<typeof planHeadline>[0]['groups'], invalid = 0, unknown = 0) =>
    planHeadline({ groups, invalid, unknown })
  expect(told([])).toBe('No machine would be touched.')
  expect(
    told([
      { verdict: 'replace', outlook: outlook(spare) },
      { verdict: 'nothing', outlook: newOutlook('n', 2) },
    ]),
  ).toBe('Applied, this comes to: 2 machines updated in place, 1 machine deleted, 3 machines created.')
  expect(told([{ verdict: 'replace', outlook: deletedOutlook('d', 1) }])).toBe(
    'Applied, this comes to: 1 machine deleted.',
  )
  const onDelete = { ...outlook(null), replace: { ...replace, onDelete: true } } as Outlook
  expect(told([{ verdict: 'replace', outlook: onDelete }])).toBe(
    'Applied, this comes to: 3 machines replaced when somebody deletes them.',
  )
  expect(told([], 2)).toBe('2 documents cannot be applied as they are. Nothing was planned.')
  expect(told([{ verdict: 'unknown', outlook: outlook(null) }], 0, 1)).toContain('2 objects')
  expect(told([{ verdict: 'blocked', outlook: outlook(null) }])).toContain('1 group could not be updated at all')
})

test('a merge patch of what was given before and now leads from the one to the other', () => {
  const value = fc.letrec((tie) => ({
    object: fc.dictionary(
      fc.stringMatching(/^[a-c]$/),
      fc.oneof({ maxDepth: 3 }, fc.integer(), fc.constant([1]), tie('object')),
    ),
  })).object as fc.Arbitrary<Record<string, never>>
  const merge = (target: unknown, patch: unknown): unknown => {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
    const out = { ...(typeof target === 'object' && !Array.isArray(target) ? (target as object) : {}) } as Record<
      string,
      unknown
    >
    for (const [key, inner] of Object.entries(patch)) {
      if (inner === null) delete out[key]
      else out[key] = merge(out[key], inner)
    }
    return out
  }
  fc.assert(
    fc.property(value, value, (before, after) => {
      expect(merge(before, applyPatch(before, after))).toEqual(after)
    }),
  )
})
