import { expect, test } from 'vitest'
import { machinesOf } from './machines-of'

test.each<[string, Parameters<typeof machinesOf>[0], number]>([
  ['all of a group', { counts: { 'in-place': 12 } }, 12],
  ['not those that have it already', { counts: { 'in-place': 11, replace: 1, 'up-to-date': 4 } }, 12],
  ['one that goes besides', { counts: { 'in-place': 14 }, removed: 1 }, 15],
  ['some that come besides', { counts: { replace: 12 }, added: 2 }, 14],
  ['where nothing is known', undefined, 0],
])('%s', (_, outcome, expected) => expect(machinesOf(outcome)).toBe(expected))
