import { describe, expect, it } from 'vitest'
import type { Outcome, Outlook } from '@/lib/domain/changes/types'
import { deletesAny, goesWords, leftOf, oldsLeft, thenGoes, type Left } from './next-words'

const IN_PLACE: Left = { how: 'in-place', spared: 0 }
const SPARED: Left = { how: 'in-place', spared: 1 }
const REPLACED: Left = { how: 'replace', spared: 0 }

it.each([
  [2, false, IN_PLACE, '1 machine is updated in place; then it waits for somebody again.'],
  [1, false, REPLACED, '1 machine is replaced, the last one.'],
  [2, true, REPLACED, '2 machines are replaced, one after the other; it waits for nobody any more.'],
  [1, true, IN_PLACE, '1 machine is updated in place, the last one.'],
  [2, false, SPARED, '1 machine is updated in place, and with it the last old one is deleted; then it is done.'],
  [2, true, SPARED, '1 machine is updated in place, and with it the last old one is deleted; then it is done.'],
  [4, false, SPARED, '1 machine is updated in place; then it waits for somebody again.'],
  [
    4,
    true,
    SPARED,
    '3 machines are updated in place, one after the other, and with the last of them the last old one is deleted; it waits for nobody any more.',
  ],
  [1, false, SPARED, 'The last old machine is deleted: a spare one took its place. Then it is done.'],
  [
    2,
    false,
    { how: 'either', spared: 0 },
    '1 machine is updated in place or replaced; then it waits for somebody again.',
  ],
] as const)('says before it what goes on by it: %i left, all: %s, %o', (left, all, how, words) => {
  expect(goesWords(left, all, how)).toBe(words)
})

it.each([
  [1, SPARED, 'With it the last old one is deleted; then it is done.'],
  [2, SPARED, 'Then it waits until somebody lets the next one go.'],
  [1, IN_PLACE, 'Then it waits until somebody lets the next one go.'],
  [0, IN_PLACE, 'Then it is done.'],
] as const)('says what comes after the one that goes: %i behind it, %o', (left, how, words) => {
  expect(thenGoes(left, how)).toBe(words)
})

it.each([
  ['as many as there are steps', ['up-to-date', 'replace', 'replace'], null, 2],
  ['one of them went unasked', ['up-to-date', 'replace'], null, 1],
  ['one of them is being deleted', ['up-to-date', 'replace', 'replace'], 'deleting', 1],
] as const)('counts the old ones that are left: %s', (_, verdicts, last, left) => {
  const machines = verdicts.map((verdict, i) => ({ verdict, going: i === 2 ? last : null }))
  const change = { plane: { machines }, step: { done: 1, of: 3 } } as unknown as Parameters<typeof oldsLeft>[0]
  expect(oldsLeft(change)).toBe(left)
  expect(oldsLeft({ ...change, plane: null })).toBe(2)
})

describe('how what is left goes', () => {
  const outcome = (more: Partial<Outcome>): Outcome => ({
    ...{ counts: {}, created: 0, deleted: 0, headline: '' },
    ...more,
  })
  const of = (inPlace: Outcome | null, dueMode: 'in-place' | 'replace' | null = 'in-place') =>
    leftOf({ outlook: { inPlace } as Outlook, dueMode, decision: null })

  it.each<[string, Left, Left]>([
    ['in place, none to spare', of(outcome({ counts: { 'in-place': 3 } })), IN_PLACE],
    ['in place, a spare comes first', of(outcome({ created: 1, deleted: 1, spare: 1 })), SPARED],
    ['in place, the spare is there', of(outcome({ deleted: 1, removed: 1, forSpares: 1 })), SPARED],
    ['no updater takes all of them', of(outcome({ created: 1, deleted: 1 })), { how: 'either', spared: 0 }],
    ['approved replacing', of(outcome({ created: 1, deleted: 1, spare: 1 }), 'replace'), REPLACED],
    ['it cannot be done in place', of(null), REPLACED],
  ])('%s', (_what, left, expected) => {
    expect(left).toEqual(expected)
  })

  it('is a danger where any is deleted', () => {
    expect([IN_PLACE, SPARED, REPLACED].map(deletesAny)).toEqual([false, true, true])
  })
})
