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
  expect(more().map(({ where, action }) => [where, action.href])).toEqual([
    ['More updates', '/updates?cluster=atlas&workload=media'],
    ['More machines', '/machines?cluster=atlas&workload=media&q=error%3Ayes'],
  ])
})
