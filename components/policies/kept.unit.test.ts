import { expect, test } from 'vitest'
import { keptAs, keptTyped } from './kept'
import { EMPTY, EMPTY_SPAN, EMPTY_WAVE, typedOf, type Typed } from './typed'

const FULL: Typed = {
  ...{ ...EMPTY, name: 'prod', approvals: '2' },
  windows: [{ ...EMPTY_SPAN, starts: '2026-01-06T22:00', until: '4h' }],
  waves: [{ ...EMPTY_WAVE, name: 'canary', namespaces: 'x', labels: 'env=prod' }],
}

test('what was typed is there as it was', () => {
  expect(keptTyped(JSON.stringify(FULL))).toEqual(FULL)
  expect(keptTyped(null)).toBeNull()
})

test('what is stored is known again by its text, whatever the order in which it says things', () => {
  const windows = [{ timeZone: 'UTC', lasts: '4h', starts: '2026-01-06T22:00' }]
  const select = { namespaces: ['x'], kinds: ['MachineDeployment'], clusters: ['a'], labels: { env: 'prod' } }
  const stored = JSON.stringify(typedOf('prod', { select, windows, waves: [{ size: 3, select, name: 'canary' }] }))
  expect(JSON.stringify(keptTyped(stored))).toBe(stored)
})

test('what was kept before there was a field has nothing in it', () => {
  const { maxSurge: _, waves: __, freezes: ___, ...older } = FULL
  expect(keptTyped(JSON.stringify(older))).toEqual({ ...FULL, waves: [] })
})

test.each<[string, string]>([
  ['no JSON', '{'],
  ['a text', '"prod"'],
  ['nothing', 'null'],
  ['a list', '[]'],
  ['a number in a text’s place', JSON.stringify({ ...FULL, approvals: 2 })],
  ['windows that are a text', JSON.stringify({ ...FULL, windows: 'always' })],
  ['a window that is one', JSON.stringify({ ...FULL, windows: ['nights'] })],
  ['a wave that selects otherwise', JSON.stringify({ ...FULL, waves: [{ ...EMPTY_WAVE, names: ['a'] }] })],
])('what does not fit is thrown away: %s', (_, kept) => expect(keptTyped(kept)).toBeNull())

test('nobody finds what somebody else typed, or what was typed over another version', () => {
  const keys = [keptAs('ada', null), keptAs('bo', null), keptAs('ada', { id: 'p', version: 1 })]
  expect(new Set([...keys, keptAs('ada', { id: 'p', version: 2 })]).size).toBe(4)
})
