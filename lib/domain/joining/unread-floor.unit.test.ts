import { expect, test } from 'vitest'
import { diagnose } from '.'
import { factsLike } from './testing'
import type { JoinFacts } from './types'

const read = factsLike({}).floor!
const unread: JoinFacts['floor'] = { ...read, source: 'newer', unsure: ['OCPVersion', 'RHCOSVersion'] }
const judged = (version: string, floor: JoinFacts['floor'], release = '4.24.1') =>
  diagnose(
    factsLike({
      dated: { kind: 'OCPVersion', version, sure: 'certain', because: '' },
      ...{ floor, release: { version: release, completedAt: null } },
    }),
    Date.parse('2026-11-21T08:00:00Z'),
  )

test.each([
  ['older than a release whose floor was read', '4.16.0', read, /which its release still accepts\.$/],
  ['of a release that nobody read', '4.24.0', unread, /which its release still accepts\.$/],
  ['older than that', '4.16.0', unread, /whether its release still accepts that is not known\.$/],
])('an image that is not below the newest floor that is known: %s', (_, version, floor, words) => {
  expect(judged(version, floor)).toMatchObject({
    certainty: 'unknown',
    sentence: expect.stringMatching(words) as string,
  })
})

test('nor does its evidence say that such a release accepts it', () => {
  const says = (floor: JoinFacts['floor']) =>
    judged('4.16.0', floor).evidence.find(({ sentence }) => sentence.includes('older than the release'))?.sentence
  expect(says(read)).toMatch(/not below 4\.13\.0, the oldest that it accepts\.$/)
  expect(says(unread)).toMatch(/not below 4\.13\.0, the newest floor that is known: its own may be higher\.$/)
})
