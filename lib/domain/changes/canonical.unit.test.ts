import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../json'
import { canonical, same } from './canonical'

/** Few keys and values, so that two of them are often equal, or nearly; keys that every object inherits are among them. */
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(0, -0, 1, Infinity, '', 'a', null, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'constructor'), fc.option(tie('value'), { nil: undefined })), {
        selector: ([key]) => key,
      })
      .map((entries) => Object.fromEntries(entries) as Json),
  ),
}))

test('what has one canonical text is the same, and nothing else is', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(same(a, b)).toBe(canonical(a) === canonical(b))
      expect(same(a, JSON.parse(JSON.stringify(a)) as Json)).toBe(true)
    }),
    { numRuns: 3_000 },
  )
})

test.each<[Json | undefined, Json | undefined, boolean]>([
  [undefined, null, true],
  [{ a: undefined as unknown as Json }, {}, true],
  [{ a: null }, {}, false],
  [{ a: null, b: 1 }, { a: undefined as unknown as Json, b: 1, c: 1 }, false],
  [{ constructor: null }, { a: 1 }, false],
  [[1, [2]], [1, [2]], true],
  [[], {}, false],
])('%j and %j: %s', (a, b, are) => {
  expect([same(a, b), same(b, a)]).toEqual([are, are])
})
