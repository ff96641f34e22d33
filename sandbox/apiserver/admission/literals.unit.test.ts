import { describe, expect, it } from 'vitest'
import { evaluate, fromCel, toCel } from './cel'
import { withMapLiterals } from './literals'

describe('message literals', () => {
  it.each([
    ['Object{spec: Object.spec{paused: true}}', '{"spec":{"paused": true}}'],
    ['Object{}', '{}'],
    [
      `Object{metadata: Object.metadata{annotations: {"a/b": x ? "Object{y: 1}" : 'z'}}}`,
      `{"metadata":{"annotations": {"a/b": x ? "Object{y: 1}" : 'z'}}}`,
    ],
    ['[JSONPatch{op: "add", path: "/a", value: {"k": v}}]', '[{"op":"add","path":"/a","value":{"k": v}}]'],
    [
      'Object{spec: Object.spec{?after: object.spec.?after, n: f(a, b)}}',
      '{"spec":{"after": object.spec.?after,"n": f(a, b)}}',
    ],
    ['{?"a": b, "c": d ? e : f}', '{"a": b, "c": d ? e : f}'],
    ['object.spec.x', 'object.spec.x'],
    ['oldObject.metadata.name == r"\\{"', 'oldObject.metadata.name == r"\\{"'],
  ])('%s', (source, expected) => {
    expect(withMapLiterals(source).replaceAll(/\s/g, '')).toBe(expected.replaceAll(/\s/g, ''))
  })
})

describe('expressions', () => {
  const object = { spec: { replicas: 3, ratio: 0.5, items: [{ n: 1 }, { n: 2 }], rollout: { after: 'x' } } }
  it.each<[string, unknown]>([
    ['object.spec.replicas + 1 == 4', true],
    ['object.spec.ratio < 1.0', true],
    ['object.spec.?rollout.after == optional.of("x")', true],
    ['object.spec.?nothing.after != object.spec.?rollout.after', true],
    ['object.spec.?nothing.after == object.spec.?none.after', true],
    ['object.spec.items.exists(i, i.n == 2) && object.spec.items.all(i, i.n > 0)', true],
    ['has(object.spec.nothing)', false],
    ['Object{spec: Object.spec{?gone: object.spec.?nothing, ?kept: object.spec.?replicas}}', { spec: { kept: 3 } }],
    [
      '[JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("a/b"), value: null}]',
      [{ op: 'add', path: '/metadata/annotations/a~1b', value: null }],
    ],
  ])('%s', (expression, expected) => {
    expect(fromCel(evaluate(expression, { object: toCel(object) }))).toEqual(expected)
  })

  it('fail on fields that are not there', () => {
    expect(() => evaluate('object.spec.nothing == 1', { object: toCel(object) })).toThrow(/nothing/)
  })
})
