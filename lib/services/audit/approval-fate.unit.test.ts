import { expect, test } from 'vitest'
import { approvalOf, fateOf } from './approval-fate'

const day = (n: number) => new Date(`2026-11-${20 + n}T12:00:00.000Z`)
const NOW = day(5)
const given = {
  ...{ actorId: 'ada', mode: 'replace', at: day(0), endedAt: null, endedWhy: null, expiresAt: null },
  ...{ begun: false, decisionId: null },
}
const OPEN = { finishedAt: null, decisions: [] }
const decided = (acceptedAt: Date | null) => ({ finishedAt: null, decisions: [{ id: 'd', acceptedAt }] })

test.each<[string, object, object, string | null]>([
  ['it stands', {}, OPEN, null],
  ['it stands until it expires', { expiresAt: day(6) }, OPEN, null],
  ['expired, and nothing ended it', { expiresAt: day(2) }, OPEN, 'expired'],
  ['expired before it was ended', { expiresAt: day(2), endedAt: day(3), endedWhy: 'anew' }, OPEN, 'expired'],
  ['ended before it would have expired', { expiresAt: day(4), endedAt: day(3), endedWhy: 'fewer' }, OPEN, 'fewer'],
  ['taken back', { expiresAt: day(2), endedAt: day(3), endedWhy: 'withdrawn' }, OPEN, 'withdrawn'],
  ['rejected', { endedAt: day(3), endedWhy: 'rejected' }, OPEN, 'rejected'],
  ['void with its decision, of which nothing was sent', { ...end('void'), decisionId: 'd' }, decided(null), 'fell'],
  ['something went by it', { ...end('void'), decisionId: 'd' }, decided(day(1)), null],
  ['something went by it once', { ...end('void'), begun: true }, OPEN, null],
  ['a newer change took its place', {}, { ...OPEN, finishedAt: day(3) }, 'fell'],
  ['expired before one did', { expiresAt: day(2) }, { ...OPEN, finishedAt: day(3) }, 'expired'],
  ['one did before it would have', { expiresAt: day(4) }, { ...OPEN, finishedAt: day(3) }, 'fell'],
])('%s', (_, approval, change, fate) =>
  expect(fateOf({ ...given, ...approval }, { ...OPEN, ...change }, NOW)).toBe(fate),
)

test('an event is about the approval that the same person gave then, the same way', () => {
  const approvals = [
    { ...given, id: 1 },
    { ...given, id: 2, at: day(1) },
    { ...given, id: 3, at: day(1), mode: 'in-place' },
    { ...given, id: 4, at: day(2), actorId: 'ben' },
  ]
  const of = (at: Date, mode = 'replace') =>
    approvalOf(approvals, {
      ...{ at: new Date(+at + 40).toISOString(), actor: { id: 'ada' }, details: { mode } },
    })?.id
  expect(of(day(0))).toBe(1)
  expect(of(day(1))).toBe(2)
  expect(of(day(1), 'in-place')).toBe(3)
  expect(of(day(2))).toBeUndefined()
})

function end(endedWhy: string) {
  return { endedAt: day(3), endedWhy }
}
