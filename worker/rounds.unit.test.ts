import { afterEach, expect, test, vi } from 'vitest'
import { inMoments, startRounds } from './rounds'

afterEach(() => vi.useRealTimers())

test('one round after the other, and none once it was stopped', async () => {
  vi.useFakeTimers()
  const ends: (() => void)[] = []
  const rounds = startRounds(() => new Promise((resolve) => ends.push(resolve)), 100)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ends).toHaveLength(1)
  ends[0]!()
  await vi.advanceTimersByTimeAsync(99)
  expect(ends).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(ends).toHaveLength(2)
  ends[1]!()
  await vi.advanceTimersByTimeAsync(1)
  await rounds.stop()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ends).toHaveLength(2)
})

test('stopping waits for the round that runs, and no other follows it', async () => {
  vi.useFakeTimers()
  let begun = 0
  let end: () => void = () => undefined
  let said = false
  const rounds = startRounds(async (stopped) => {
    begun++
    await new Promise<void>((resolve) => (end = resolve))
    said = stopped()
  }, 100)
  const stopping = rounds.stop()
  end()
  await stopping
  await vi.advanceTimersByTimeAsync(1_000)
  expect({ said, begun }).toEqual({ said: true, begun: 1 })
})

test('in a hurry the next one begins at once, or when the one that runs has ended', async () => {
  vi.useFakeTimers()
  const ends: (() => void)[] = []
  const rounds = startRounds(() => new Promise((resolve) => ends.push(resolve)), 100)
  const begun = async () => {
    await vi.advanceTimersByTimeAsync(1)
    return ends.length
  }
  rounds.soon()
  expect(await begun()).toBe(1)
  ends[0]!()
  expect(await begun()).toBe(2)
  ends[1]!()
  expect(await begun()).toBe(2)
  rounds.soon()
  rounds.soon()
  expect(await begun()).toBe(3)
  ends[2]!()
  await rounds.stop()
  rounds.soon()
  expect(await begun()).toBe(3)
})

test('what takes longer goes on beside others of its kind, and no more than so many', async () => {
  const ends: (() => void)[] = []
  const soon = inMoments(() => new Promise<void>((resolve) => ends.push(resolve)), { ms: 1, atOnce: 2 })
  const [one, other] = [{}, {}]
  for (let i = 0; i < 4; i++) await soon(one, () => false)
  expect(ends).toHaveLength(2)
  await soon(other, () => false)
  expect(ends).toHaveLength(3)
  ends[0]!()
  await Promise.resolve()
  await soon(one, () => false)
  expect(ends).toHaveLength(4)
})
