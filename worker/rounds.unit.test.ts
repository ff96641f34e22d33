import { afterEach, expect, test, vi } from 'vitest'
import { startRounds } from './rounds'

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
