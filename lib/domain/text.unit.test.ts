import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storable, storableDeep } from './text'

test.each([
  ['a\0b', 'ab'],
  ['half \ud83d of one', 'half \ufffd of one'],
  ['\udc00\ud83d', '\ufffd\ufffd'],
  ['whole \u{1f600}', 'whole \u{1f600}'],
])('%j is kept as %j', (text, kept) => {
  expect(storable(text)).toBe(kept)
})

test('whatever it is, UTF-8 gives it back, and once is enough', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
      const kept = storable(text)
      expect(Buffer.from(kept).toString()).toBe(kept)
      expect(kept).not.toContain('\0')
      expect(storable(kept)).toBe(kept)
    }),
  )
})

test('goes all the way down, and leaves alone what is no plain value', () => {
  const date = new Date(0)
  expect(storableDeep({ 'a\0': ['\0b', { c: '\ud800' }], date, n: 1, none: null })).toEqual({
    ...{ a: ['b', { c: '\ufffd' }], date, n: 1, none: null },
  })
})

test('a value that contains itself, many times, is gone through once', () => {
  const knot: Record<string, unknown> = { text: 'a\0' }
  for (let i = 0; i < 50; i++) knot[`self${i}`] = knot
  const kept = storableDeep(knot) as typeof knot
  expect(kept.text).toBe('a')
  expect(kept.self7).toBe(kept)
})

test('no key of a stranger reaches a prototype', () => {
  const kept = storableDeep(JSON.parse('{"__proto__": {"admin": true}}')) as { admin?: boolean }
  expect(kept.admin).toBeUndefined()
  expect(Object.keys(kept)).toEqual(['__proto___'])
})
