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

test.each([[[1.5, 'a', id]], [[1e12, 'a', id]], [[1, 'a', 'nope']], [[1, 'a']]])(
  'pools: a place that nobody gave is refused in words: %j',
  async (place) => {
    expect(await told(listPools(ctx, { after: placeText(place) }))).toBe('invalid')
  },
)

test.each([
  ['review', 'review', '1'],
  ['review', 'review', '2026-99-99'],
  ['risk', 'risk', 'x'],
  ['name', 'risk', '1'],
])('boot images by %s: %s %s is refused in words', async (sort, by, key) => {
  expect(await told(listBootImages(ctx, { sort, after: placeText([by, key, 'b', id]) }))).toBe('invalid')
})

test('machines by age: a number is no time', async () => {
  expect(await told(listMachines(ctx, { sort: 'age', after: placeText(['age', '1', 'b', id]) }))).toBe('invalid')
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
