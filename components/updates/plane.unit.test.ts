import { expect, test } from 'vitest'
import { etcdLine } from './plane'

const said = {
  words: ['etcd has 3 members, all of them healthy.', 'x'],
  wordsOf: { 'in-place': ['y'], replace: ['z'] },
}

test('while its manager is paused, how etcd stands is said to be as that saw it last', () => {
  expect(etcdLine({ ...said, frozen: { since: null } })).toBe(
    'As its manager saw it last: etcd has 3 members, all of them healthy. x',
  )
  expect(etcdLine({ ...said, frozen: false })).toBe('etcd has 3 members, all of them healthy. x')
  expect(etcdLine({ ...said, frozen: false }, 'replace')).toBe('z')
})
