import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../json'
import { applyAnswer, composed, faultsOf, PatchError, upstreamEqual } from '.'

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')
const merge = (document: unknown) => ({ patchType: 'JSONMergePatch', patch: base64(document) })
const list = (...operations: unknown[]) => ({ patchType: 'JSONPatch', patch: base64(operations) })
const side = (infrastructure: Json, version = 'v1'): JsonObject => ({
  machine: { metadata: { name: 'm' }, spec: { version } },
  infrastructureMachine: { metadata: { name: 'm' }, spec: infrastructure },
})
/** What is said of an answer that patches the infrastructure machine. */
function said(current: Json, desired: Json, patch: object): string[] {
  const sides = { current: side(current), desired: side(desired) }
  const answer = { infrastructureMachinePatch: patch } as unknown as JsonObject
  const next = applyAnswer('CanUpdateMachine', sides.current, answer)
  return faultsOf('CanUpdateMachine', { ...sides, next }, answer)
}
const spec = (value: Json) => merge({ spec: value })
const set = (path: string, value: Json) => list({ op: 'add', path: `/spec${path}`, value })

describe('an answer that does what was asked, or a part of it, is a good one', () => {
  const files = (...names: string[]) => names.map((name) => ({ path: `/${name}`, content: name }))
  test.each<[string, Json, Json, object]>([
    ['everything, by merge patch', { a: 1, b: 1 }, { a: 2, b: 2 }, spec({ a: 2, b: 2 })],
    ['one of two', { a: 1, b: 1 }, { a: 2, b: 2 }, spec({ a: 2 })],
    ['nothing', { a: 1 }, { a: 2 }, merge({})],
    ['an empty list of operations', { a: 1 }, { a: 2 }, list()],
    ['a removal', { a: 1, b: 1 }, { b: 2 }, spec({ a: null })],
    ['a field set to what both sides have', { a: 1, b: 1 }, { a: 2, b: 1 }, spec({ a: 2, b: 1 })],
    ['the whole spec as it would leave it', { a: 1 }, { a: 2 }, set('', { a: 1 })],
    ['a part of a new branch', {}, { x: { a: 1, b: 2 } }, set('/x', { a: 1 })],
    ['a test before the work', { a: 1 }, { a: 2 }, list({ op: 'test', path: '/spec/a', value: 1 })],
    [
      'one item of a list',
      { f: ['a', 'b'] },
      { f: ['A', 'B'] },
      list({ op: 'replace', path: '/spec/f/1', value: 'B' }),
    ],
    [
      'an item that goes, while another waits',
      { f: files('a', 'b') },
      { f: [{ path: '/b', content: 'new' }] },
      list({ op: 'remove', path: '/spec/f/0' }),
    ],
    ['an item put in front', { f: ['b'] }, { f: ['a', 'b', 'c'] }, list({ op: 'add', path: '/spec/f/0', value: 'a' })],
    ['another order', { f: ['a', 'b'], g: 1 }, { f: ['b', 'a'], g: 2 }, spec({ f: ['b', 'a'] })],
    [
      'an unnamed item, in part',
      { u: [{ p: 1, s: 1 }] },
      { u: [{ p: 2, s: 2 }] },
      list({ op: 'replace', path: '/spec/u/0/p', value: 2 }),
    ],
  ])('%s', (_name, current, desired, patch) => {
    expect(said(current, desired, patch)).toEqual([])
  })
})

describe('an answer that does something else is named with what it did', () => {
  test.each<[string, Json, Json, object, RegExp]>([
    [
      'a field that did not differ',
      { a: 1, b: 1 },
      { a: 2, b: 1 },
      spec({ a: 2, b: 9 }),
      /nobody asked for \(infrastructure: b\)/,
    ],
    ['a new field', { a: 1 }, { a: 2 }, spec({ a: 2, c: 0 }), /nobody asked for \(infrastructure: c\)/],
    [
      'a removed field',
      { a: 1, b: 1 },
      { a: 2, b: 1 },
      list({ op: 'remove', path: '/spec/b' }),
      /nobody asked for \(infrastructure: b\)/,
    ],
    ['another value', { a: 1 }, { a: 2 }, spec({ a: 3 }), /something else than what is wanted \(infrastructure: a\)/],
    [
      'another type',
      { a: 1 },
      { a: 2 },
      spec({ a: { b: 2 } }),
      /something else than what is wanted \(infrastructure: a/,
    ],
    ['the value it had', { a: 1 }, { a: 2 }, spec({ a: 1 }), /leaves as it is \(infrastructure: a\)/],
    [
      'the value it had, by JSON patch',
      { a: { b: 1 } },
      { a: { b: 2 } },
      set('/a/b', 1),
      /leaves as it is \(infrastructure: a\.b\)/,
    ],
    ['a list it leaves', { f: ['a'] }, { f: ['b'] }, set('/f', ['a']), /leaves as it is \(infrastructure: f\)/],
    [
      'a list turned round',
      { f: ['a', 'b', 'c'], g: 1 },
      { f: ['a', 'b', 'c'], g: 2 },
      spec({ f: ['c', 'b', 'a'] }),
      /nobody asked for \(infrastructure: f\)/,
    ],
    [
      'an item nobody wants',
      { f: ['a'] },
      { f: ['a', 'b'] },
      set('/f/-', 'c'),
      /something else than what is wanted \(infrastructure: f\)/,
    ],
    [
      'an item that both have, lost',
      { f: ['a', 'b'] },
      { f: ['a', 'b', 'c'] },
      list({ op: 'remove', path: '/spec/f/0' }),
      /something else/,
    ],
    ['an item twice', { f: ['a'] }, { f: ['a', 'b'] }, set('/f/-', 'a'), /something else/],
    [
      'another item of a named list',
      {
        f: [
          { name: 'x', v: 1 },
          { name: 'y', v: 1 },
        ],
      },
      {
        f: [
          { name: 'x', v: 2 },
          { name: 'y', v: 1 },
        ],
      },
      list({ op: 'replace', path: '/spec/f/1/v', value: 7 }),
      /something else/,
    ],
  ])('%s', (_name, current, desired, patch, sentence) => {
    const faults = said(current, desired, patch)
    expect(faults.join('; ')).toMatch(sentence)
  })

  test('values are never repeated, and many fields are counted', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, 'hunter2-secret']))
    const [sentence] = said({ a: 1 }, { a: 2 }, spec(many))
    expect(sentence).toMatch(/f0.*and 4 more/)
    expect(sentence).not.toContain('hunter2')
  })
})

describe('what is no answer to the question', () => {
  const current = side({ a: 1 })
  const apply = (answer: unknown) => () => applyAnswer('CanUpdateMachine', current, answer as JsonObject)
  test.each<[string, unknown, RegExp]>([
    ['of the other hook', { machineSetPatch: merge({ spec: {} }) }, /another object: machineSetPatch/],
    [
      'of what the machine does not have',
      { bootstrapConfigPatch: merge({ spec: {} }) },
      /another object: bootstrapConfigPatch/,
    ],
    ['for another name', { machinePatch: merge({ metadata: { name: 'n' } }) }, /machine is for another object/],
    ['no object', { machinePatch: 'x' }, /not an object/],
    ['of no type', { machinePatch: { patchType: 'Strategic', patch: base64({}) } }, /no known patchType/],
    ['not base64', { machinePatch: { patchType: 'JSONPatch', patch: '{"a":1}' } }, /not in base64/],
    ['not JSON', { machinePatch: { patchType: 'JSONPatch', patch: Buffer.from('{').toString('base64') } }, /not JSON/],
    ['a number', { machinePatch: { patchType: 'JSONPatch', patch: 7 } }, /not in base64/],
    [
      'an object for a list',
      { machinePatch: { patchType: 'JSONPatch', patch: base64({ a: 1 }) } },
      /list of operations/,
    ],
    ['a list for an object', { machinePatch: { patchType: 'JSONMergePatch', patch: base64([1]) } }, /not an object/],
    ['of a path that is not there', { machinePatch: list({ op: 'remove', path: '/spec/none' }) }, /does not apply/],
    ['of a failing test', { machinePatch: list({ op: 'test', path: '/spec/version', value: 'v0' }) }, /does not apply/],
    ['operations that are none', { machinePatch: list(1, 'x', null) }, /does not apply/],
    ['without a spec', { machinePatch: merge({ spec: null }) }, /takes the spec away/],
    [
      'into prototypes',
      { machinePatch: { patchType: 'JSONMergePatch', patch: Buffer.from('{"__proto__":{"x":1}}').toString('base64') } },
      /__proto__/,
    ],
  ])('a patch %s', (_name, answer, sentence) => {
    expect(apply(answer)).toThrow(PatchError)
    expect(apply(answer)).toThrow(sentence)
  })

  test('patches that are empty are none', () => {
    for (const patch of [null, {}, { patchType: '', patch: '' }, list(), merge({})])
      expect(
        applyAnswer('CanUpdateMachine', current, { bootstrapConfigPatch: null, machinePatch: patch as Json }),
      ).toEqual(current)
  })
})

describe('whatever the objects are', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'name', 'x/y', 'p~q')
  const json = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>('s', 't', 1, 2, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3 }) as fc.Arbitrary<Json>,
    ),
  })).value
  const object = fc.dictionary(key, json, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>

  test('the whole way, and the way of whole fields, is good; what it comes to is what was wanted', () => {
    fc.assert(
      fc.property(object, object, fc.array(key), (a, b, some) => {
        const sides = { current: side(a), desired: side(b) }
        const whole = composed('CanUpdateMachine', sides.current, sides.desired)
        const next = applyAnswer('CanUpdateMachine', sides.current, whole)
        expect(upstreamEqual('CanUpdateMachine', next, sides.desired)).toBe(true)
        expect(faultsOf('CanUpdateMachine', { ...sides, next }, whole)).toEqual([])
        const wanted = some.filter((k) => k in a !== k in b || JSON.stringify(a[k]) !== JSON.stringify(b[k]))
        const operations = [...new Set(wanted)].map((k) => {
          const path = `/spec/${k.replaceAll('~', '~0').replaceAll('/', '~1')}`
          return k in b ? { op: 'add', path, value: b[k] } : { op: 'remove', path }
        })
        expect(said(a, b, list(...operations))).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })

  test('one field more than was asked for is always named', () => {
    fc.assert(
      fc.property(object, object, json, (a, b, value) => {
        const [fault] = said(
          { ...a, more: 'as it was' },
          { ...b, more: 'as it was' },
          spec({ more: { changed: value } }),
        )
        expect(fault).toContain('infrastructure: more')
      }),
      { numRuns: 1_000 },
    )
  })

  test('no patch can end in anything but a next state or a PatchError', () => {
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'x'),
      path: fc.constantFrom('', '/spec', '/spec/a', '/spec/a/0', '/spec/a/-', '/metadata/name', 'a'),
      from: fc.constantFrom('/spec/b', '/spec', ''),
      value: json,
    })
    fc.assert(
      fc.property(object, object, fc.array(operation, { maxLength: 4 }), (a, b, operations) => {
        const sides = { current: side(a), desired: side(b) }
        const answer = { infrastructureMachinePatch: list(...operations) } as unknown as JsonObject
        try {
          const next = applyAnswer('CanUpdateMachine', sides.current, answer)
          faultsOf('CanUpdateMachine', { ...sides, next }, answer)
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError)
        }
        expect(sides.current).toEqual(side(a))
      }),
      { numRuns: 2_000 },
    )
  })
})
