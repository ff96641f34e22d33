import { expect, test } from 'vitest'
import { headline } from './headline'

const needs = (n: number, more = 0) => [
  ...Array.from({ length: n }, () => ({ kind: 'approval' }) as const),
  ...Array.from({ length: more }, () => ({ kind: 'more' }) as const),
]

test.each([
  [needs(0), 'Nothing needs you.'],
  [needs(1), 'One thing needs you.'],
  [needs(2), 'Two things need you.'],
  [needs(12), '12 things need you.'],
  [needs(20, 2), 'At least 20 things need you.'],
  [needs(1, 1), 'At least 1 thing needs you.'],
  // Not all was looked at.
  [needs(0, 1), 'Something may need you.'],
])('%#: %s', (all, words) => expect(headline(all)).toBe(words))
