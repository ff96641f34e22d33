import { afterEach, expect, test } from 'vitest'
import { Coalescer } from './coalesce'

let coalescer: Coalescer<number>
afterEach(() => coalescer.stop())

const EVENTS = 10_000
const KEYS = 500
const MAX = 100

test('a burst waits as its keys, not as its events, and the newest state of every key arrives', async () => {
  const arrived = new Map<string, number>()
  const batches: number[] = []
  let deepest = 0
  let answer: (() => void) | undefined
  coalescer = new Coalescer<number>({
    intervalMs: 0,
    delayMs: 0,
    max: MAX,
    flush: async (batch) => {
      batches.push(batch.size)
      // The first answer comes only when all events have been heard: a database that is slow in the worst moment.
      if (batches.length === 1) await new Promise<void>((resolve) => (answer = resolve))
      for (const [key, value] of batch) {
        expect(value).toBeGreaterThan(arrived.get(key) ?? -1)
        arrived.set(key, value)
      }
    },
    failed: () => false,
  })
  for (let event = 0; event < EVENTS; event++) {
    coalescer.set(`m-${event % KEYS}`, event)
    deepest = Math.max(deepest, coalescer.size)
    if (event === KEYS) await expect.poll(() => answer).toBeDefined()
  }
  answer!()
  await coalescer.flushed()
  expect(deepest).toBeLessThanOrEqual(KEYS)
  expect(Math.max(...batches)).toBeLessThanOrEqual(MAX)
  // One held batch, then every key once more: not one batch per hundred events.
  expect(batches.length).toBeLessThanOrEqual(1 + KEYS / MAX)
  const newest = Array.from({ length: KEYS }, (_, key) => [`m-${key}`, EVENTS - KEYS + key] as const)
  expect(arrived).toEqual(new Map(newest))
})

test('a batch that failed comes again, never over what is newer', async () => {
  const arrived = new Map<string, number>()
  let failures = 0
  coalescer = new Coalescer<number>({
    intervalMs: 0,
    delayMs: 0,
    max: MAX,
    flush: (batch) => {
      if (failures === 0) {
        coalescer.set('a', 2)
        return Promise.reject(new Error('the database restarts'))
      }
      for (const [key, value] of batch) arrived.set(key, value)
      return Promise.resolve()
    },
    failed: () => {
      failures++
      return false
    },
  })
  coalescer.set('a', 1)
  coalescer.set('b', 1)
  await expect.poll(() => Object.fromEntries(arrived), { timeout: 5000 }).toEqual({ a: 2, b: 1 })
  expect(failures).toBe(1)
})

test('a full batch does not wait for company', async () => {
  let flushed = 0
  coalescer = new Coalescer<number>({
    intervalMs: 60_000,
    delayMs: 60_000,
    max: MAX,
    flush: (batch) => {
      flushed += batch.size
      return Promise.resolve()
    },
    failed: () => false,
  })
  for (let key = 0; key < MAX; key++) coalescer.set(`m-${key}`, key)
  await expect.poll(() => flushed).toBe(MAX)
})
