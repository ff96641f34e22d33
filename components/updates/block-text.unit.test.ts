import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { blockText } from './block-text'

it('shows a long text in a list with its line breaks', () => {
  expect(blockText(['systemctl restart x', 'set -e\nif true; then\n  echo "a"\nfi\n'])).toBe(
    ['- systemctl restart x', '- |', '  set -e', '  if true; then', '    echo "a"', '  fi'].join('\n'),
  )
  expect(blockText([{ path: '/etc/a', content: 'one\n\ntwo', owner: 'root:root' }, { path: '/b' }])).toBe(
    ['- path: /etc/a', '  content: |-', '    one', '', '    two', '  owner: "root:root"', '- path: /b'].join('\n'),
  )
  expect(blockText({ a: { b: [1, true] }, c: {}, d: [] })).toBe('a:\n  b:\n    - 1\n    - true\nc: {}\nd: []')
  expect(blockText('as it\nstands')).toBe('as it\nstands')
})

it('says what is there: read as YAML it is the same value', () => {
  const key = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,8}$/)
  const line = fc.stringMatching(/^[ -~]{0,12}$/)
  const leaf = fc.oneof(line, fc.integer(), fc.boolean(), fc.constant(null))
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(key, tie('node'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).node
  fc.assert(
    fc.property(value, (of) => {
      if (typeof of !== 'string') expect(parse(blockText(of))).toEqual(of)
    }),
    { numRuns: 2_000 },
  )
})
