import { expect, test } from 'vitest'
import { wrongAck } from './words'

test.each([
  [null, null],
  ['true', null],
  ['True', 'The ConfigMap admin-acks has an entry for it, “True”: only “true” counts.'],
  ['', 'The ConfigMap admin-acks has an entry for it, “”: only “true” counts.'],
])('an acknowledgement that says %j', (ack, words) => expect(wrongAck(ack)).toBe(words))
