import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ItemReader } from './items'

const json = fc.jsonValue({ maxDepth: 4 })
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('items', 'metadata', '"}],{', '\\"', 'é', '💥'),
)
const item = fc.record({
  metadata: fc.record(
    {
      name: text,
      managedFields: fc.array(fc.dictionary(text, json), { maxLength: 3 }),
      labels: fc.dictionary(text, text),
    },
    { requiredKeys: ['name'] },
  ),
  spec: fc.dictionary(text, json),
  managedFields: json,
  items: json,
})

/** Feeds the bytes in pieces that are cut anywhere, also inside characters and escapes. */
function read(body: string, cuts: number[], drop: boolean) {
  const bytes = Buffer.from(body)
  const items: unknown[] = []
  const reader = new ItemReader((piece) => items.push(JSON.parse(piece)), drop)
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  for (let i = 1; i < places.length; i++) reader.push(bytes.subarray(places[i - 1], places[i]))
  return { items, envelope: reader.end() }
}

const order = fc.constantFrom(['metadata', 'items'], ['items', 'metadata'])

test('reads any list as JSON.parse does, however it is cut', () => {
  fc.assert(
    fc.property(fc.array(item), fc.array(fc.nat()), fc.constantFrom(0, 2), order, (items, cuts, indent, keys) => {
      const metadata = { resourceVersion: '7', continue: 'a"b' }
      const list = Object.fromEntries(keys.map((key) => [key, key === 'items' ? items : metadata]))
      const seen = read(JSON.stringify({ kind: 'XList', ...list }, null, indent), cuts, false)
      const expected = JSON.parse(JSON.stringify(items)) as unknown
      expect(seen.items).toEqual(expected)
      expect(seen.envelope.metadata).toEqual(metadata)
    }),
    { numRuns: 300 },
  )
})

test('leaves out metadata.managedFields and nothing else', () => {
  fc.assert(
    fc.property(fc.array(item), fc.array(fc.nat()), (items, cuts) => {
      const expected = JSON.parse(JSON.stringify(items)) as typeof items
      for (const { metadata } of expected) if (metadata.managedFields) metadata.managedFields = []
      expect(read(JSON.stringify({ items, metadata: {} }), cuts, true).items).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})

test('a list that is cut off is an error, wherever it is cut', () => {
  const body = JSON.stringify({ items: [{ a: '1' }, { b: [1] }], metadata: { resourceVersion: '1' } })
  for (let length = 1; length < body.length; length++) expect(() => read(body.slice(0, length), [], false)).toThrow()
})

test('null and missing items are an empty list', () => {
  expect(read('{"items":null,"metadata":{"resourceVersion":"3"}}', [], false).items).toEqual([])
  expect(read('{"metadata":{"resourceVersion":"3"}}', [], false).envelope.metadata?.resourceVersion).toBe('3')
})
