import { expect, test } from 'vitest'
import { leftOut } from './left-out'

const rows = (n: number) => Array.from({ length: n }, (_, i) => i)

test('nothing is said of what is listed whole', async () => {
  const { first, more } = leftOut({})
  expect(await first(Promise.resolve(rows(20)), 'updates')).toHaveLength(20)
  expect(more()).toEqual([])
})

test('of what is left out, one line for each page that has it, in the scope', async () => {
  const { first, more } = leftOut({ cluster: 'atlas', workload: 'media' })
  expect(await first(rows(21), 'machines')).toEqual(rows(20))
  await first(rows(21), 'updates')
  await first(rows(21), 'updates')
  await first(rows(3), 'pools')
  await first(rows(21), 'running')
  expect(more().map(({ where, action }) => [where, action.href])).toEqual([
    ['More updates', '/updates?cluster=atlas&workload=media'],
    ['More updates under way', '/updates?cluster=atlas&workload=media&tab=running'],
    ['More machines', '/machines?cluster=atlas&workload=media&q=error%3Ayes'],
  ])
})

test('what was not looked at may need somebody, or not; what is known to be left out is said as that', async () => {
  const { first, more, mayBeMore } = leftOut({})
  mayBeMore('updates')
  expect(more()).toMatchObject([{ id: 'updates', sentence: expect.stringContaining('may wait') as string }])
  await first(rows(21), 'updates')
  mayBeMore('updates')
  expect(more()).toMatchObject([{ id: 'updates', sentence: 'Not all of them are listed here.' }])
})
