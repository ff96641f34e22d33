import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluateCel } from './evaluate'
import { causesRollout } from './expressions'
import { LATCHED } from './table'
import { FOUND_HELD, lookAt, markOf, watchMark, type Looked, type Seen } from './watch'

const [D0, D1] = [markOf('cluster.x-k8s.io/v1beta2', 'd0'), markOf('cluster.x-k8s.io/v1beta2', 'd1')]
const OLD = markOf('cluster.x-k8s.io/v1beta1', 'd0')
const seen = (more: Partial<Seen>): Seen => ({
  ...{ mark: D1, watched: D0, letGo: null, held: false, governed: true, begins: false },
  ...more,
})

test.each<[string, Partial<Seen>, Looked]>([
  ['wants what it wanted', { mark: D0 }, 'nothing'],
  ['changed', {}, 'changed'],
  ['changed, and is held by now', { held: true }, 'nothing'],
  ['changed, and is what it was let go with', { letGo: D1 }, 'keep'],
  ['changed, with something else let go before', { letGo: D0 }, 'changed'],
  ['is not governed', { governed: false }, 'keep'],
  ['is not governed any more, and still held', { governed: false, held: true }, 'keep'],
  ['was there before anybody watched', { watched: null, begins: true }, 'keep'],
  ['came, and was changed, while nobody watched', { watched: null }, 'pending'],
  ['came, was changed, and is held', { watched: null, held: true }, 'found-held'],
  ['was there before anybody watched, and is held', { watched: null, held: true, begins: true }, 'found-held'],
  ['was found held, and is so still', { watched: FOUND_HELD, held: true }, 'nothing'],
  ['was found held, and is not any more', { watched: FOUND_HELD, begins: true }, 'changed'],
  ['was found held, and is what it was let go with', { watched: FOUND_HELD, letGo: D1 }, 'keep'],
  ['was found held, and is not governed any more', { watched: FOUND_HELD, governed: false, held: true }, 'keep'],
  ['is held, and was last seen in another version', { watched: OLD, held: true }, 'found-held'],
  ['was last seen in another version', { watched: OLD, mark: D0 }, 'pending'],
  ['was last seen in another version, whatever it was', { watched: OLD, begins: true }, 'pending'],
])('a group that %s', (_what, more, looked) => {
  expect(lookAt(seen(more))).toBe(looked)
})

test('what is governed, was let be, and wants something else that nobody let go, is never let be by looking', () => {
  const mark = fc.constantFrom(D0, D1)
  const before = fc.constantFrom(D0, D1, FOUND_HELD)
  fc.assert(
    fc.property(mark, before, fc.option(mark), fc.boolean(), (now, watched, letGo, begins) => {
      const looked = lookAt(seen({ mark: now, watched, letGo, begins }))
      expect(looked).toBe(now === watched ? 'nothing' : letGo === now ? 'keep' : 'changed')
    }),
  )
})

test('the mark differs exactly where the latch would hold', () => {
  const kind = LATCHED[0]!
  const group = (version: string, replicas: number) => ({
    ...{ kind: kind.kind, apiVersion: `${kind.group}/v1beta2`, metadata: {} },
    spec: { replicas, template: { spec: { version } } },
  })
  const version = fc.constantFrom('v1.34.0', 'v1.34.1')
  fc.assert(
    fc.property(version, version, fc.nat(5), fc.nat(5), (a, b, m, n) => {
      const [before, now] = [group(a, m), group(b, n)]
      const holds = evaluateCel(causesRollout(kind, 'v1beta2'), { object: now, oldObject: before })
      expect(watchMark(before) !== watchMark(now)).toBe(holds)
    }),
  )
})
