import { expect, test } from 'vitest'
import { holdWaits, knownWithin } from './midway'

test('a hold waits ten seconds for a move that hangs, and for the next one anew', () => {
  const since = new Map<string, number>()
  const waits = (moving: boolean, second: number, id = 'a') => holdWaits(since, id, moving, second * 1_000)
  expect(waits(false, 0)).toBe(false)
  expect(waits(true, 1)).toBe(true)
  expect(waits(true, 10.9)).toBe(true)
  expect(waits(true, 9, 'b')).toBe(true)
  // Also where the hold could not be written at once.
  expect([waits(true, 11), waits(true, 30)]).toEqual([false, false])
  expect([waits(false, 31), waits(true, 32)]).toEqual([false, true])
  // What nobody asked about any more.
  expect([waits(true, 93), since.has('b')]).toEqual([true, false])
})

test('what takes too long to be told, or fails, keeps no hold waiting, and is told that nobody waits', async () => {
  expect(await knownWithin(() => Promise.resolve(true))).toBe(true)
  expect(await knownWithin(() => Promise.reject(new Error('away')))).toBe(false)
  let isLate = () => false
  const hangs = new Promise<boolean>(() => undefined)
  const known = knownWithin((late) => {
    isLate = late
    return hangs
  }, 5)
  expect(isLate()).toBe(false)
  expect([await known, isLate()]).toEqual([false, true])
})
