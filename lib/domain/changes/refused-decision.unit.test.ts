import { expect, test } from 'vitest'
import { isRefused } from './refused-decision'

test.each([
  ['none', null, false, false],
  ['one that the cluster took', { state: 'seen' }, false, false],
  ['refused', { state: 'failed', noAnswer: false }, false, true],
  ['refused, and approved anew for its time', { state: 'failed', noAnswer: false }, true, false],
  ['without an answer, and approved anew: it may move', { state: 'failed', noAnswer: true }, true, true],
])('a decision: %s', (_, decision, due, expected) => expect(isRefused(decision, due)).toBe(expected))
