import { expect, it } from 'vitest'
import { tiesOf } from './priority'

const at = (name: string, second: number, more: object = {}) => ({ name, createdAt: second * 1000, ...more })
const machines = [at('a', 1), at('b', 1, { marked: true }), at('c', 1), at('d', 2), at('e', 2, { unhealthy: true })]

it.each([['Oldest'], ['Newest']] as const)('%s: made in the same second, any of them may come first', (order) =>
  expect(tiesOf(machines, order)).toEqual([['a', 'c']]),
)

it('Random comes down to names, which tell any two apart', () => expect(tiesOf(machines, 'Random')).toEqual([]))
