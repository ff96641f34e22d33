import fc from 'fast-check'
import { expect, test } from 'vitest'
import { machine } from '@/lib/providers/cluster-api/testing/objects'
import { readList, withoutManagedFields } from './items'

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

function read(body: string, drop: boolean) {
  const { items, envelope } = readList(Buffer.from(body), drop)
  return { items: [...items], envelope }
}

const order = fc.constantFrom(['metadata', 'items'], ['items', 'metadata'])

test('reads any list as JSON.parse does, however it is written', () => {
  fc.assert(
    fc.property(fc.array(item), fc.constantFrom(0, 2), order, (items, indent, keys) => {
      const metadata = { resourceVersion: '7', continue: 'a"b' }
      const list = Object.fromEntries(keys.map((key) => [key, key === 'items' ? items : metadata]))
      const seen = read(JSON.stringify({ kind: 'XList', ...list }, null, indent), false)
      const expected = JSON.parse(JSON.stringify(items)) as unknown
      expect(seen.items).toEqual(expected)
      expect(seen.envelope.metadata).toEqual(metadata)
    }),
    { numRuns: 300 },
  )
})

test('leaves out metadata.managedFields and nothing else', () => {
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const without = (objects: unknown[]) =>
        (objects as typeof items).map(({ metadata: { managedFields: _, ...metadata }, ...rest }) => ({
          ...rest,
          metadata,
        }))
      const expected = JSON.parse(JSON.stringify(items)) as unknown[]
      const seen = read(JSON.stringify({ items, metadata: {} }), true).items
      expect(without(seen)).toEqual(without(expected))
    }),
    { numRuns: 300 },
  )
})

test('cuts a watch event where its own object has them, or leaves it to JSON.parse', () => {
  type Event = { type: string; object: { metadata?: { managedFields?: unknown[] } } }
  let cut = 0
  fc.assert(
    fc.property(item, text, (object, type) => {
      const event: Event = { type, object }
      const seen = withoutManagedFields<Event>(Buffer.from(JSON.stringify(event)), (e) => e.object.metadata)
      if (!seen) return
      cut++
      expect(seen.object.metadata?.managedFields).toEqual([])
      const expected = JSON.parse(JSON.stringify(event)) as Event
      expected.object.metadata!.managedFields = []
      expect(seen).toEqual(expected)
    }),
    { numRuns: 300 },
  )
  expect(cut).toBeGreaterThan(20)
})

test('a list that is cut off is an error, wherever it is cut', () => {
  const body = JSON.stringify({ items: [{ a: '1' }, { b: [1] }], metadata: { resourceVersion: '1' } })
  for (let length = 1; length < body.length; length++) expect(() => read(body.slice(0, length), false)).toThrow()
})

test('null and missing items are an empty list', () => {
  expect(read('{"items":null,"metadata":{"resourceVersion":"3"}}', false).items).toEqual([])
  expect(read('{"metadata":{"resourceVersion":"3"}}', false).envelope.metadata?.resourceVersion).toBe('3')
})

test('Machines as the API server writes them are read one by one, without managedFields', () => {
  const machines = Array.from({ length: 5 }, (_, i) => machine({ name: `m-${i}`, version: 'v1.34.0' }))
  const metadata = { continue: '', resourceVersion: '9' }
  const body = JSON.stringify({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    items: machines,
    kind: 'MachineList',
    metadata,
  })
  const { items, envelope } = readList(Buffer.from(body), true)
  expect(Array.isArray(items)).toBe(false)
  const expected = JSON.parse(JSON.stringify(machines)) as typeof machines
  for (const object of expected) object.metadata.managedFields = []
  expect([...items]).toEqual(expected)
  expect(envelope).toMatchObject({ kind: 'MachineList', metadata })
})
