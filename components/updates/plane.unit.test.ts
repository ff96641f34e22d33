import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { PlaneDto } from '@/lib/services/changes/plane'
import { EtcdWords, etcdLine, spareWords } from './plane'

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

test('where no member is to spare no other machine begins, and the ill one that goes first is told to go all the same', () => {
  const noneToSpare = 'etcd has no member to spare: a (raft: no leader)'
  expect(spareWords({ noneToSpare, unasked: null, mayGo: null, waits: null })).toBe(
    `No other machine begins: ${noneToSpare}. It goes on by itself when that is over.`,
  )
  expect(spareWords({ noneToSpare, unasked: 'a goes first.', mayGo: null, waits: null })).toBe(
    `a goes first. Until that is over no other machine begins: ${noneToSpare}.`,
  )
  expect(spareWords({ noneToSpare, unasked: null, mayGo: null, waits: 'It waits until a is well.' })).toBe(
    `It waits until a is well. Until then no other machine begins: ${noneToSpare}.`,
  )
  expect(spareWords({ noneToSpare, unasked: null, mayGo: 'a may go.', waits: null })).toBe(
    `a may go. Until then no other machine begins: ${noneToSpare}.`,
  )
})

test('what stands above it is not said again', () => {
  const said = { words: ['etcd has one member.', 'It is down then.'], wordsOf: { 'in-place': [], replace: [] } }
  expect(etcdLine({ ...said, frozen: false }, 'either', ['It is down then.'])).toBe('etcd has one member.')
})

test('that an old machine which is not well by then goes unasked is said wherever its manager does not look, and no machine is named yet', () => {
  const html = (more: Partial<PlaneDto>) =>
    renderToStaticMarkup(createElement(EtcdWords, { plane: { ...said, frozen: { since: null }, ...more } as PlaneDto }))
  const words = 'An old machine that is not well by then is deleted first, and made anew: Cluster API asks nobody about'
  expect(html({})).toContain(words)
  expect(html({})).toContain('waits while another one is not healthy')
  expect(html({ unasked: 'a goes first.' })).not.toContain(words)
})
