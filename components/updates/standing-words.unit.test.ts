import { expect, it } from 'vitest'
import { mineToTakeBack, type Asked } from './standing-words'

const mine = { mine: true, mode: 'in-place', endedAt: null, whyNot: null, takeBack: 'plain' }
const asked = (approval: object, missing = 1, due = false) =>
  ({
    ...{ rules: {}, listed: { due }, approvals: [{ ...mine, ...approval }] },
    ways: { 'in-place': { missing }, replace: { missing: 2 } },
  }) as unknown as Asked

it.each<[string, Asked, boolean]>([
  ['what this person approved, and others still have to', asked({}), true],
  ['not what somebody else did', asked({ mine: false }), false],
  ['not what is over', asked({ endedAt: 'then' }), false],
  ['not what does not count', asked({ whyNot: 'no-reason' }), false],
  ['not where one more click lets it go', asked({}, 0), false],
  ['not what only waits for its time', asked({}, 0, true), false],
  ['not where it cannot be', asked({ takeBack: null }), false],
  ['not where nothing is known', { problem: 'x', hint: null }, false],
])('where the button to approve is, it is taken back: %s', (_, given, is) =>
  expect(mineToTakeBack(given) !== null).toBe(is),
)
