import { expect, test } from 'vitest'
import { MANAGED_WORDS } from '@/lib/domain/boot-images/managed/managing'
import { CONFIDENCE_WORDS } from '@/lib/domain/skew/confidence'
import { NODE_RISK_WORDS } from '@/lib/domain/skew/node-risk'
import { SKEW_VERDICTS } from '@/lib/domain/skew/verdict'
import { IMAGE_WORDS } from '@/lib/domain/boot-images/image-words'
import { parseClusterFilter, parseNodeFilter, parseSetFilter } from '@/lib/services/skew/filter'
import { termWords } from '../table/filter-chips'
import { headline, imageTold, NODES, ruleInWords, stuckBeside, toldOf, TYPED_ONLY, VERDICTS, verdictOf } from './words'

test('every verdict has its words, and only what is not known is called so', () => {
  expect(verdictOf('unsupported-release').words).toBe('no limit here')
  expect(SKEW_VERDICTS.filter((verdict) => verdictOf(verdict).words === 'not known')).toEqual(['unknown'])
  for (const other of [null, 'of another release']) expect(verdictOf(other)).toEqual(VERDICTS.unknown)
})

test.each(SKEW_VERDICTS)('the list takes the words that it shows for %s', (verdict) => {
  const { words } = VERDICTS[verdict]
  for (const typed of [`"${words}"`, words.replaceAll(' ', '-')])
    expect(parseClusterFilter(`verdict:${typed}`)).toMatchObject({ terms: [{ values: [verdict] }], problems: [] })
})

test.each(Object.entries(IMAGE_WORDS))('so of images: %s, and a filter is called by them', (verdict, words) => {
  const terms = [{ values: [verdict] }]
  for (const typed of [`"${words}"`, words.replaceAll(' ', '-')]) {
    expect(parseClusterFilter(`sets:${typed}`)).toMatchObject({ terms, problems: [] })
    expect(parseSetFilter(`state:${typed}`)).toMatchObject({ terms, problems: [] })
    if (!['custom', 'excluded'].includes(verdict))
      expect(parseNodeFilter(`verdict:${typed}`)).toMatchObject({ terms, problems: [] })
  }
  const term = { key: 'sets', not: false, operator: '=' as const, values: [verdict] }
  expect(termWords(term, TYPED_ONLY)).toBe(`Machine sets: ${words}`)
})

const SHOWN = [
  ['nodes', NODE_RISK_WORDS],
  ['managed', MANAGED_WORDS],
  ['sure', CONFIDENCE_WORDS],
] as const
test.each(SHOWN.flatMap(([key, all]) => Object.entries(all).map(([value, words]) => [key, words, value])))(
  'so of %s: %s',
  (key, words, value) =>
    expect(parseClusterFilter(`${key}:"${words}"`)).toMatchObject({ terms: [{ values: [value] }], problems: [] }),
)

test('it takes any word for a slip but those, and names the filter that finds what is shown beside a verdict', () => {
  for (const typed of ['constructor', '__proto__', 'toString'])
    expect(parseClusterFilter(`verdict:${typed}`)).toMatchObject({
      terms: [],
      problems: [expect.stringContaining(`There is no verdict “${typed}”; there are out-of-skew`)],
    })
  expect(parseClusterFilter('verdict:"updates closed"').problems).toEqual([
    'There is no verdict “updates closed”; it is found by updates:closed.',
  ])
})

test('an image that nothing says is too old is not good by that: it may be far from the release, or the operator may fail', () => {
  expect(NODES.no).toEqual({ tone: 'plain', words: 'not below the floor' })
})

test('a line of a selector in words', () => {
  const key = 'example.com/x'
  expect(ruleInWords({ key, operator: 'In', values: ['a'] })).toBe('example.com/x=a')
  expect(ruleInWords({ key, operator: 'NotIn', values: ['a', 'b'] })).toBe('example.com/x is none of a, b')
  expect(ruleInWords({ key, operator: 'DoesNotExist', values: [] })).toBe('example.com/x is not there')
  // As the API server stores it, though there is no such operator.
  expect(ruleInWords({ key, operator: 'In', values: ['b'], stored: 'Bogus' })).toBe('example.com/x Bogus b')
})

test('a cluster whose operator fails need not be below its limit', () => {
  const heard = { clusters: 1, unheard: 0 }
  expect(headline({ ...heard, closed: 1 })).toBe('The boot images of the OpenShift cluster keep its updates closed.')
  expect(headline({ ...heard, closed: 0 })).toBe('The boot image keeps no update closed.')
})

test('what is likely and what is only possible have each their own words, on every page', () => {
  expect([NODES.likely.words, NODES.possible.words]).toEqual(['may not join', 'might not join'])
})

test('of what is not heard it is not said that nothing is closed, and nothing old is good', () => {
  const of = (clusters: number, unheard: number) => headline({ clusters, closed: 0, unheard })
  expect(of(1, 1)).toBe('Whether the boot image keeps updates closed is not known now.')
  expect(of(3, 3)).toBe('Whether boot images keep updates closed is not known now.')
  expect(of(3, 1)).toBe('No cluster’s boot image is known to keep its updates closed; of 1 of 3 that is not known now.')
  expect(of(3, 0)).toBe('No cluster’s boot image keeps its updates closed.')
  expect(headline({ clusters: 3, closed: 1, unheard: 1 })).toContain('one of 3 OpenShift clusters')
  expect(toldOf({ verdict: 'ok', unheard: null, closes: false }).tone).toBe('good')
  expect(toldOf({ verdict: 'ok', unheard: { why: 'x', since: null }, closes: false }).tone).toBe('plain')
})

test('where the operator alone knows why, the chip says that updates are closed', () => {
  expect(toldOf({ verdict: 'unknown', unheard: null, closes: true })).toEqual({ tone: 'bad', words: 'updates closed' })
  expect(toldOf({ verdict: 'unknown', unheard: null, closes: false })).toEqual(VERDICTS.unknown)
  expect(toldOf({ verdict: 'out-of-skew', unheard: null, closes: true }).words).toBe('below the floor')
})

test('a pass that stands still is said once: the verdict of a mode that rests on it says it', () => {
  const passStuck = 'The operator has not moved on for 4 minutes.'
  expect(stuckBeside({ passStuck, sentence: `${passStuck} Its record is not compared meanwhile.` })).toBeNull()
  expect(stuckBeside({ passStuck, sentence: 'Acknowledged: 4.14.0.' })).toBe(passStuck)
  expect(stuckBeside({ passStuck: null, sentence: 'In range.' })).toBeNull()
})

test('an image has one word for its verdict, with its tone', () => {
  expect(imageTold('newer')).toEqual({ tone: 'plain', words: 'newer than the release' })
  expect(imageTold('outdated')).toEqual({ tone: 'replace', words: 'outdated' })
  expect(imageTold('unknown')).toEqual({ tone: 'plain', words: 'not known' })
})
