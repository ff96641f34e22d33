import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../json'
import { rolloutDigest } from './digest'
import { evaluateCel } from './evaluate'
import { causesRollout } from './expressions'
import { LATCHED, type ClusterApiVersion } from './table'

type Value = JsonObject[string] | undefined

/** Some value at some path that the table names, below it, or beside it; structures where the table descends. */
const write = (paths: string[]) => {
  const leaf = fc.constantFrom('.k', '.timeouts.controlPlaneComponentHealthCheckSeconds', '.dns', '.taints')
  const structure = fc.constantFrom<Value>({ x: 1 }, { x: 2 }, {}, undefined)
  return fc.oneof(
    fc.tuple(fc.constantFrom(...paths), leaf, fc.constantFrom<Value>('a', 'b', 3, undefined)),
    fc.tuple(fc.constantFrom(...paths), fc.constantFrom('', '.timeouts'), structure),
  )
}

function put(object: JsonObject, path: string, value: Value): JsonObject {
  const copy = structuredClone(object)
  const keys = path.split('.')
  let at = copy
  for (const key of keys.slice(0, -1)) {
    if (typeof at[key] !== 'object' || at[key] === null) at[key] = {}
    at = at[key] as JsonObject
  }
  if (value === undefined) delete at[keys.at(-1)!]
  else at[keys.at(-1)!] = value
  return copy
}

for (const kind of LATCHED)
  for (const version of ['v1beta2', 'v1beta1'] as ClusterApiVersion[])
    test(`${kind.kind} ${version}: the digest differs exactly where the latch would hold`, () => {
      const paths = [...kind.causes[version].map((c) => c.path), 'spec.replicas', 'spec.rollout.strategy', 'spec.other']
      const start: JsonObject = { metadata: { name: 'a' }, spec: { replicas: 3, template: { spec: {} } } }
      const state = fc.array(write(paths), { maxLength: 5 })
      const made = (writes: [string, string, Value][]) =>
        writes.reduce((object, [path, more, value]) => put(object, path + more, value), start)
      const digest = (object: JsonObject) =>
        rolloutDigest({ kind: kind.kind, apiVersion: `${kind.group}/${version}`, spec: object.spec as JsonObject })
      fc.assert(
        fc.property(state, state, (a, b) => {
          const [before, now] = [made(a), made([...a, ...b])]
          const held = evaluateCel(causesRollout(kind, version), { object: now, oldObject: before })
          expect(digest(before) !== digest(now)).toBe(held)
        }),
        { numRuns: 500 },
      )
    })

test('what is not latched has none', () => {
  expect(rolloutDigest({ kind: 'MachinePool', apiVersion: 'cluster.x-k8s.io/v1beta2', spec: {} })).toBeNull()
})
