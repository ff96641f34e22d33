import { expect, test } from 'vitest'
import { change } from './testing'
import { wayOutOf } from './way-out-words'

const policy = { id: 'p', name: 'prod', version: 1 }
const held = (uncovered: string[], more: object = {}) => {
  const { outlook, state } = change({})
  const rules = { strategy: { value: 'in-place-only', policy, why: '' } }
  const asked = { rules, listed: { forbidden: 'The policy prod allows in place only.' }, ...more }
  return { state, outlook: { ...outlook, inPlace: null, uncovered }, policy: asked as never }
}

test('in place only, and fields that nobody covers: an updater that does, or the policy that says so', () => {
  expect(wayOutOf(held(['machine: spec.a', 'b', 'c', 'd']))).toEqual({
    covers: 'machine: spec.a, b, c and 1 more',
    policy,
  })
})

test('where no updater helps, the policy alone', () => expect(wayOutOf(held([]))).toEqual({ covers: null, policy }))

test('of what may go, or is not to be replaced for another reason, nothing is said', () => {
  const rules = { strategy: { value: 'prefer-in-place', policy, why: '' } }
  expect(wayOutOf(held(['a'], { listed: { forbidden: null } }))).toBeNull()
  expect(wayOutOf(held(['a'], { rules }))).toBeNull()
  expect(wayOutOf({ ...held(['a']), policy: { problem: 'x', hint: null } })).toBeNull()
  expect(wayOutOf({ ...held(['a']), state: 'running' })).toBeNull()
})
