import { expect, test } from 'vitest'
import { foremost, troubleWords } from './trouble-words'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const of = (lastHeardAt: string | null, since: string | null) =>
  troubleWords({ lastHeardAt, away: { since }, trouble: 'no worker follows it' }, 60_000)

test('what is shown of a cluster is as old as it was last heard; not where that was after its worker was gone', () => {
  expect(of(null, null)).toBe('not heard yet, no worker follows it')
  expect(of(at(35), at(38))).toBe('last heard 25 s ago, no worker follows it')
  expect(of(at(58), at(38))).toBe('no worker follows it')
  // One that ended in order let go at once, and heard something a moment before.
  expect(of(at(20), at(19))).toBe('last heard 40 s ago, no worker follows it')
})

test('of several, that of the scope or of the page stands first', () => {
  const clusters = ['a', 'b', 'c', 'd'].map((name) => ({ id: `id-${name}`, name }))
  const names = (...here: (string | null | undefined)[]) =>
    foremost(clusters, here)
      .map(({ name }) => name)
      .join('')
  expect(names(null, undefined)).toBe('abcd')
  expect(names('d', undefined)).toBe('dabc')
  expect(names(null, 'id-c')).toBe('cabd')
})
