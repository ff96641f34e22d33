import { expect, test } from 'vitest'
import { Lanes } from './lanes'

const ends: (() => void)[] = []
const hangs = () => new Promise<void>((resolve) => ends.push(resolve))

test('a few at once of each key, and nothing twice', async () => {
  const lanes = new Lanes({ each: 2, most: 10 })
  const begin = (key: string, id: string) => lanes.begin(key, id, hangs)
  expect([begin('a', '1'), begin('a', '2'), begin('a', '3'), begin('b', '4'), begin('b', '4')]).toEqual([
    ...[true, true, false],
    ...[true, false],
  ])
  expect([lanes.ids(), lanes.full()]).toEqual([['1', '2', '4'], ['a']])
  for (const end of ends.splice(0)) end()
  await lanes.drained()
  expect([lanes.ids(), lanes.full(), begin('a', '3')]).toEqual([[], [], true])
})

test('however many hang, half of all lanes are left for keys that have none, and no more than all are taken', () => {
  const lanes = new Lanes({ each: 3, most: 8 })
  const begun = (key: string) => [1, 2, 3].filter((n) => lanes.begin(key, `${key}${n}`, hangs)).length
  expect([begun('a'), begun('b'), begun('c'), begun('d'), begun('e'), begun('f'), begun('g')]).toEqual([
    3, 1, 1, 1, 1, 1, 0,
  ])
  expect(lanes.full()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})
