import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeBehind, type Persistence } from './persistence'
import type { Store } from './types'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a snapshot that takes long is never written by two at once, and what changed meanwhile is in the next one', async () => {
  let changed = (): void => undefined
  let [running, most, written] = [0, 0, 0]
  let finish = (): void => undefined
  const persistence = {
    keepObjects: async () => {
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => (finish = resolve))
      running--
      written++
    },
  } as unknown as Persistence
  const store = { subscribe: (listener: () => void) => ((changed = listener), () => undefined) } as unknown as Store
  const stop = writeBehind(
    store,
    persistence,
    () => [],
    () => undefined,
  )

  await vi.advanceTimersByTimeAsync(3_000)
  expect(running).toBe(1)
  changed()
  await vi.advanceTimersByTimeAsync(30_000)
  expect([running, most, written]).toEqual([1, 1, 0])
  finish()
  await vi.advanceTimersByTimeAsync(1_000_000)
  expect([running, most, written]).toEqual([1, 1, 1])
  finish()
  await vi.advanceTimersByTimeAsync(1_000_000)
  expect([running, most, written]).toEqual([0, 1, 2])

  const stopped = stop()
  await vi.advanceTimersByTimeAsync(0)
  finish()
  await stopped
  expect([most, written]).toEqual([1, 3])
})
