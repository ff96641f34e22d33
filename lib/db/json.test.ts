import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pool } from './client'
import { json, jsonText } from './json'
import { useTestDatabase } from './testing'

useTestDatabase()
const unit = fc.constantFrom('a', '\0', '\\', 'u0000', '"', '\ud800', '\udc00', '\u{1f600}', '\u001f', '\n')
const key = fc.string({ unit, maxLength: 6 })
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    key,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(key, tie('value')),
  ),
}))

test('whatever a value is, Postgres takes it, and gives it back as it was without what it stores nowhere', async () => {
  await fc.assert(
    fc.asyncProperty(value, async (given) => {
      const { rows } = await pool().query<{ back: unknown }>('SELECT $1::jsonb AS back', [jsonText(given)])
      expect(rows[0]!.back).toEqual(json(given))
    }),
    { numRuns: 100 },
  )
  expect(json({ 'a\0': ['\0b\ud800c\u{1f600}', '\\u0000', undefined] })).toEqual({
    a: ['b\ufffdc\u{1f600}', '\\u0000', null],
  })
  expect(json(undefined)).toBeNull()
})
