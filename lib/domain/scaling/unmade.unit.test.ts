import { expect, test } from 'vitest'
import { unmade, type Revision } from './unmade'

const set = (name: string, revision: number, over: Partial<Revision> = {}): Revision => ({
  ...{ name, revision, createdAt: '2026-01-01T00:00:00Z', replicas: 2, has: 2, told: 3, scaled: undefined },
  ...{ wished: false, moves: false, disabled: false, ...over },
})
const lacks = { replicas: 2, has: 1 }

test.each<[string, Revision[], string[]]>([
  ['what it goes over to', [set('a', 1), set('b', 2, { ...lacks, wished: true })], ['b']],
  ['what it went over to before it was changed again', [set('a', 1), set('b', 2, lacks)], ['b']],
  ['both', [set('a', 1), set('b', 2, lacks), set('c', 3, { ...lacks, wished: true })], ['b', 'c']],
  [
    'not a scale-up of what it went over to',
    [set('a', 1, { replicas: 0, has: 0 }), set('b', 2, { ...lacks, wished: true })],
    [],
  ],
  [
    'nor while the last of the old one is being deleted',
    [set('a', 1, { replicas: 0, has: 1 }), set('b', 2, lacks)],
    [],
  ],
  ['not the old one, of which a machine was deleted', [set('a', 1, lacks), set('b', 2)], []],
  ['not the only one, which is being made', [set('a', 1, { ...lacks, wished: true })], []],
  ['not what has all', [set('a', 1), set('b', 2, { wished: true })], []],
  ['what it goes back to', [set('a', 3, { ...lacks, wished: true }), set('b', 2)], ['a']],
  ['not what was carried to it while it is held', [set('a', 1), set('b', 2, { ...lacks, scaled: '+1 of 3 at 2' })], []],
  [
    'not what makes none, or hands them over',
    [set('a', 1), set('b', 2, { ...lacks, disabled: true }), set('c', 3, { ...lacks, moves: true })],
    [],
  ],
])('told of more than it has, and held: taken back of %s', (_, sets, names) => {
  expect(unmade(sets).map(({ name }) => name)).toEqual(names)
})
