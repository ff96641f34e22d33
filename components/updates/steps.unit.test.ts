import { expect, it } from 'vitest'
import { firstWords, goingWords, othersWords } from './steps'

it('says what of it goes now, where that is not all of it', () => {
  expect(firstWords('one', 3)).toBe('1 of 3 machines now; then it waits until somebody lets the next one go.')
  expect(firstWords('all', 3)).toBeNull()
})

it('says who wants one machine at a time already', () => {
  expect(othersWords(['Ada'])).toBe('Ada wants one machine, then wait: it goes so.')
  expect(othersWords(['Ada', 'Bo'])).toBe('Ada and Bo want one machine, then wait: it goes so.')
})

it('says that the next one waits for etcd, unless the ill one goes by itself', () => {
  const noneToSpare = 'etcd has no member to spare: b (raft: no leader)'
  const ill = { etcd: 'managed' as const, noneToSpare, unasked: null, mayGo: null, waits: null }
  const at = { machine: null, done: 1 }
  expect(goingWords(at, null)).toBe('1 done, and now the next one.')
  expect(goingWords(at, ill)).toBe('1 done, and the next one waits until etcd has a member to spare.')
  expect(goingWords({ ...at, done: 0 }, ill)).toBe('the first one waits until etcd has a member to spare.')
  expect(goingWords(at, { ...ill, unasked: 'b goes first.' })).toBe('1 done, and now the next one.')
  expect(goingWords({ ...at, machine: 'a' }, ill)).toBe('a is the one of this step.')
})
