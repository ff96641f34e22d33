import { expect, test } from 'vitest'
import { isSaidOnce, linesBetween } from './value-diff'

const shown = (current: unknown, desired: unknown) =>
  linesBetween(current, desired)?.map(
    ({ kind, text }) => `${{ same: ' ', gone: '-', new: '+', 'left-out': '~' }[kind]}${text}`,
  )

test.each([
  [{ secret: true, current: 'It is not shown.', desired: 'It is not shown.' }, true],
  [{ secret: true, current: 'It is not shown.', desired: 'It is not shown: 3 bytes.' }, false],
  [{ secret: true, desired: 'It is not shown.' }, false],
  [{ secret: true }, false],
  [{ current: 1, desired: 1 }, false],
])('%j is said once: %s', (field, once) => expect(isSaidOnce(field)).toBe(once))

test('what is short stands side by side', () => {
  expect(shown('v1.34.0', 'v1.34.1')).toBeUndefined()
  expect(shown(3, 5)).toBeUndefined()
  expect(shown('v1', undefined)).toBeUndefined()
})

test('what comes new or goes as a whole, line by line', () => {
  expect(shown(undefined, ['a'])).toEqual(['+- a'])
  expect(shown('a\nb\n', undefined)).toEqual(['-a', '-b'])
})

test('a long text in an item of a list line by line, and not as JSON', () => {
  const before = 'set -e\nmodprobe br_netfilter\nsysctl --system\n'
  const after = before.replace('br_netfilter', 'overlay')
  expect(shown(undefined, ['true ok', before])).toEqual([
    ...['+- true ok', '+- |', '+  set -e', '+  modprobe br_netfilter', '+  sysctl --system'],
  ])
  expect(shown(['a', before], ['a', after])).toEqual([
    ...[' - |', '   set -e', '-  modprobe br_netfilter', '+  modprobe overlay', '   sysctl --system'].toSpliced(
      0,
      0,
      '~1 line the same',
    ),
  ])
  expect(shown([{ name: 'x', run: 'a\nb' }], [{ name: 'x', run: 'a\nb\n' }])).toContain('+  run: |')
  // What is short is not taken apart.
  expect(shown(['a'], ['b'])).toBeUndefined()
})

test('the line break at the end is no line', () => {
  expect(shown('a\nb\n', 'a\nc\n')).toEqual([' a', '-b', '+c'])
})

test('a long text line by line, with what is the same left out', () => {
  const text = Array.from({ length: 10 }, (_, i) => `line ${i}`)
  expect(shown(text.join('\n'), text.with(5, 'other').join('\n'))).toEqual([
    ...['~3 lines the same', ' line 3', ' line 4', '-line 5', '+other', ' line 6', ' line 7', '~2 lines the same'],
  ])
})
