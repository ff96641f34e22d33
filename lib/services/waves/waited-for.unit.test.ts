import { expect, test } from 'vitest'
import { isWaitedFor } from './waited-for'

const member = (wave: number, state: string, stage: 'open' | 'through' = 'open') => ({
  wave,
  state: stage,
  change: { state },
})

test.each<[string, ReturnType<typeof member>[], boolean]>([
  ['waits in it', [member(1, 'waiting')], true],
  ['was rejected in it', [member(1, 'rejected')], true],
  ['goes by it already', [member(1, 'running'), member(1, 'stuck')], false],
  ['goes by it already, and another waits', [member(1, 'running'), member(2, 'waiting')], true],
  ['waits in the wave itself', [member(0, 'waiting')], false],
  ['is through', [member(1, 'done', 'through')], false],
])('a wave is waited for by what comes after it, and has not gone: what %s', (_, members, waited) => {
  expect(isWaitedFor(0, members)).toBe(waited)
})

test('of what holds for a group is not known, it is waited for', () => {
  expect(isWaitedFor(0, [{ wave: 1, state: 'open', change: null }])).toBe(true)
})
