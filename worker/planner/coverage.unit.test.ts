import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Updater } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import type { Compared } from '@/lib/providers/cluster-api/changes'
import { coverageOf } from '@/lib/services/updaters/coverage'
import { CoverageBook } from './coverage'

vi.mock('@/lib/services/updaters/coverage')

let answered = 0
let release: () => void = () => undefined

beforeEach(() => {
  vi.useFakeTimers()
  answered = 0
  vi.mocked(coverageOf).mockReset()
  vi.mocked(coverageOf).mockImplementation(async () => {
    answered += 1
    return { coverage: { uncovered: [`answer ${answered}`] }, by: new Map() }
  })
})
afterEach(() => void vi.useRealTimers())

const updater = (id: string, more: Partial<Updater> = {}) =>
  ({ id, url: 'https://u', caPem: 'pem', name: id, ...more }) as Updater
const side = (infrastructure: JsonObject = {}): JsonObject => ({
  machine: { metadata: { name: 'm' }, spec: { version: 'v1' } },
  infrastructureMachine: { spec: infrastructure },
})
const request = { current: side(), desired: side() }
const about = (fingerprint: string, asked: JsonObject = request) =>
  ({ pair: { fingerprint }, question: { hook: 'CanUpdateMachine', request: asked } }) as Compared
const compared = about('f')

/** What is shown now, and what is shown when whoever was asked has answered. */
async function looked(book: CoverageBook, updaters: Updater[]) {
  const now = book.look(compared, updaters, () => undefined)
  await vi.advanceTimersByTimeAsync(0)
  const then = book.look(compared, updaters, () => undefined)
  return [now, then].map((known) => known && (known.coverage as { uncovered: string[] }).uncovered[0])
}

test('the same updaters are asked once in ten minutes', async () => {
  const book = new CoverageBook()
  expect(await looked(book, [updater('a')])).toEqual([null, 'answer 1'])
  expect(await looked(book, [updater('a')])).toEqual(['answer 1', 'answer 1'])
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect(await looked(book, [updater('a')])).toEqual(['answer 1', 'answer 2'])
})

test.each([
  ['another address', [updater('a', { url: 'https://v' }), updater('b')]],
  ['another authority', [updater('a', { caPem: 'other' }), updater('b')]],
  ['another order', [updater('b'), updater('a')]],
  ['one less', [updater('a')]],
  ['one more', [updater('a'), updater('b'), updater('c')]],
  ['another of the same name', [updater('c', { name: 'a' }), updater('b')]],
])('with %s nothing is known of what the others said', async (_what, others) => {
  const book = new CoverageBook()
  await looked(book, [updater('a'), updater('b')])
  expect(await looked(book, others)).toEqual([null, 'answer 2'])
})

test('of one fingerprint, another question is asked for itself: what is empty may switch something on', async () => {
  const book = new CoverageBook()
  const look = (infrastructure: JsonObject) =>
    book.look(about('f', { ...request, current: side(infrastructure) }), [updater('a')], () => undefined)
  expect([look({ size: 1 }), look({ size: 1, spot: {} })]).toEqual([null, null])
  await vi.advanceTimersByTimeAsync(0)
  expect(look({ size: 1 })?.coverage).toEqual({ uncovered: ['answer 1'] })
  expect(look({ size: 1, spot: {} })?.coverage).toEqual({ uncovered: ['answer 2'] })
  expect(answered).toBe(2)
})

test('in doubt everything is asked anew once, and what is known is shown until then', async () => {
  const book = new CoverageBook()
  await looked(book, [updater('a')])
  book.doubt()
  expect(await looked(book, [updater('a')])).toEqual(['answer 1', 'answer 2'])
  expect(await looked(book, [updater('a')])).toEqual(['answer 2', 'answer 2'])
})

test('an answer to what was asked before the doubt does not settle it', async () => {
  const book = new CoverageBook()
  vi.mocked(coverageOf).mockImplementationOnce(async () => {
    await new Promise<void>((resolve) => (release = resolve))
    return { coverage: { uncovered: ['old'] }, by: new Map() }
  })
  book.look(compared, [updater('a')], () => undefined)
  await vi.advanceTimersByTimeAsync(0)
  book.doubt()
  release()
  await vi.advanceTimersByTimeAsync(0)
  expect(await looked(book, [updater('a')])).toEqual(['old', 'answer 1'])
})

test('one that does not answer keeps a few waiting, not all; no change is asked about twice at once', async () => {
  vi.mocked(coverageOf).mockImplementation((_updaters, { request }) =>
    'hangs' in request
      ? new Promise(() => undefined)
      : Promise.resolve({ coverage: { uncovered: ['answer'] }, by: new Map() }),
  )
  const book = new CoverageBook()
  const look = (fingerprint: string, more: JsonObject = {}) =>
    book.look(about(fingerprint, { ...request, ...more }), [updater('a')], () => undefined)
  for (const i of [0, 1, 2, 3, 4, 5, 6]) look(`slow ${i}`, { hangs: true })
  for (let i = 0; i < 100; i++) look(`${i}`)
  look('slow 0', { hangs: true })
  await vi.advanceTimersByTimeAsync(0)
  expect(look('99')).not.toBeNull()
  expect(look('slow 0', { hangs: true })).toBeNull()
  expect(vi.mocked(coverageOf)).toHaveBeenCalledTimes(107)
})
