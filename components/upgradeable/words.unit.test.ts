import { expect, test } from 'vitest'
import { reasonsOf, wrongAck } from './words'

test.each([
  [null, null],
  ['true', null],
  ['True', 'The ConfigMap admin-acks has an entry for it, “True”: only “true” counts.'],
  ['', 'The ConfigMap admin-acks has an entry for it, “”: only “true” counts.'],
])('an acknowledgement that says %j', (ack, words) => expect(wrongAck(ack)).toBe(words))

test.each([
  [['both', 'not-yet'], '2 reasons'],
  [['both', 'no-longer'], '1 reason, 1 more no longer in the way'],
  [['no-longer'], '1 no longer in the way'],
] as const)('of reasons that are %j', (said, words) =>
  expect(reasonsOf(said.map((one) => ({ said: one })))).toBe(words),
)
