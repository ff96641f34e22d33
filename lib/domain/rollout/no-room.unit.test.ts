import { expect, test } from 'vitest'
import { noRoomOf, noRoomWords } from './no-room'

const of = (name: string, more: object = {}) => ({
  ...{ name, upToDate: false, ready: true, updating: false, deleting: false },
  ...more,
})
const NEW = { upToDate: true }
const AWAY = { ...NEW, ready: false }
const noSurge = { type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 1 } as const
const surge = { type: 'RollingUpdate', maxSurge: 1, maxUnavailable: 0 } as const

test.each([
  ['without a surge, the one that may be', noSurge, [of('a', AWAY), of('b'), of('c')]],
  ['its updater failed', noSurge, [of('a', { failed: true, updating: true }), of('b'), of('c')]],
  ['the spare does not come up', surge, [of('a', AWAY), of('b'), of('c'), of('d')]],
])('machines that are not available use up what may be: %s', (_, strategy, machines) => {
  expect(noRoomOf(machines, strategy, 3)).toEqual({ names: ['a'], may: 1 })
})

test.each([
  ['all are available', noSurge, [of('a', NEW), of('b'), of('c')]],
  ['one more may be', { ...noSurge, maxUnavailable: 2 }, [of('a', AWAY), of('b'), of('c')]],
  ['one more may come', surge, [of('a', AWAY), of('b'), of('c')]],
  ['an old one is not available either, and goes first', noSurge, [of('a', AWAY), of('b', { ready: false }), of('c')]],
  ['one is being deleted', noSurge, [of('a', AWAY), of('b', { deleting: true }), of('c')]],
  ['one is being updated', noSurge, [of('a', { ...AWAY, updating: true }), of('b'), of('c')]],
  ['of one it is not known what it is', noSurge, [of('a', AWAY), of('b', { upToDate: null }), of('c')]],
  ['none is left', noSurge, [of('a', AWAY), of('b', NEW), of('c', NEW)]],
  ['none moves by itself', { type: 'OnDelete' as const }, [of('a', AWAY), of('b'), of('c')]],
])('it is not said where %s', (_, strategy, machines) => {
  expect(noRoomOf(machines, strategy, 3)).toBeNull()
})

test.each([
  [['a'], 1, 'a is not available, and only 1 may be: nothing more begins until it is available again, or deleted'],
  [['a', 'b'], 1, /^a and b are not available, and only 1 may be: nothing more begins until they are available again/],
  [['a', 'b'], 2, /until one of them is available again, or deleted$/],
  [['a', 'b', 'c', 'd', 'e'], 4, /^a, b, c and 2 more are not available.* until 2 of them are available again/],
])('in words, by name: %j of %i', (names, may, words) => {
  expect(noRoomWords({ names, may })).toMatch(words)
})
