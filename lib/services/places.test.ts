import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import type { Ctx } from './context'
import { listMachines } from './machines/list-machines'
import { placeText } from './place'
import { listPools } from './pools/list-pools'
import { listBootImages } from './skew/list'

useTestDatabase()
const ctx: Ctx = { actor: { kind: 'user', id: 'u', name: 'u', role: 'viewer' } }
const id = randomUUID()
const NUL = '\0'

const told = async (list: Promise<unknown>): Promise<string> =>
  list.then(
    () => 'a page',
    (error: { code?: string }) => error.code ?? String(error),
  )

test.each([[[1.5, 'a', id]], [[1e12, 'a', id]], [[1, 'a', 'nope']], [[-2147483648, 'a', id]], [[1, 'a']]])(
  'pools: a place that nobody gave is refused in words: %j',
  async (place) => {
    expect(await told(listPools(ctx, { after: placeText(place) }))).toBe('invalid')
  },
)

test.each([
  ['review', 'review', '1'],
  ['review', 'review', '2026-99-99'],
  ['review', 'review', '2026-02-31 00:00:00+00'],
  ['review', 'review', '2026-01-01 00:00:00 (x)'],
  ['review', 'review', '0000-01-01 00:00:00+00'],
  ['review', 'review', '2026-01-01 00:00:00+99'],
  ['risk', 'risk', 'x'],
  ['name', 'risk', '1'],
])('boot images by %s: %s %s is refused in words', async (sort, by, key) => {
  expect(await told(listBootImages(ctx, { sort, after: placeText([by, key, 'b', id]) }))).toBe('invalid')
})

test('machines by age: a number is no time, and what Postgres writes is one', async () => {
  const from = (key: string) => told(listMachines(ctx, { sort: 'age', after: placeText(['age', key, 'b', id]) }))
  expect(await from('1')).toBe('invalid')
  expect(await from('2026-02-31 00:00:00+00')).toBe('invalid')
  expect(await from('2026-02-28 11:22:33.123456+00')).toBe('a page')
  expect(await from('2026-02-28 11:22:33-03:30')).toBe('a page')
})

test('what no database takes is left out of a place', async () => {
  expect(await told(listPools(ctx, { after: placeText([1, `a${NUL}`, id]) }))).toBe('a page')
  expect(await told(listBootImages(ctx, { sort: 'name', after: placeText(['name', `a${NUL}`, `b${NUL}`, id]) }))).toBe(
    'a page',
  )
  expect(await told(listMachines(ctx, { sort: 'name', after: placeText(['name', `a${NUL}`, `b${NUL}`, id]) }))).toBe(
    'a page',
  )
})
