import { expect, test } from 'vitest'
import type { RevisionPair } from '@/lib/domain/changes'
import { isStillKnown } from './known'

const RULE = { object: 'machine', path: 'rollout.before.certificatesExpiryDays', desired: 30 } as const
const VERSION = { object: 'machine', path: 'version', current: 'v1.34.0', desired: 'v1.34.1' } as const
const pair = (from: string, ...changes: RevisionPair['changes'][number][]): RevisionPair => ({
  ...{ from, machines: 1, changes, fingerprint: changes.map(({ path }) => path).join() },
  ...(changes.some((change) => change === RULE) ? { certainReplace: 'Its certificates expire.' } : {}),
})
/** Held in the middle: `mode` is what it goes on by when its time comes, if by anything. */
const open = (pairs: RevisionPair[], mode: string | null) =>
  ({
    groupKind: 'KubeadmControlPlane',
    state: 'waiting',
    dueMode: mode,
    steps: null,
    stepsDone: 0,
    decisions: [],
    changeSet: { pairs, fields: [] },
  }) as never

test.each([
  ['in-place', false],
  ['replace', true],
  [null, true],
])(
  'held in the middle, what it made comes under a rule that replaced another machine of it (%s): known %s',
  (mode, known) => {
    for (const expiring of [pair('m1', VERSION, RULE), pair('m1', RULE)]) {
      const approved = [expiring, pair('m2', VERSION), pair('m3', VERSION)]
      const now = [expiring, pair('m2', RULE), pair('m3', VERSION)]
      expect(isStillKnown(open(approved, mode), 'latch', now, true)).toBe(known)
    }
  },
)

test('what was to be replaced by a rule when it was approved in place is that still', () => {
  const approved = [pair('m1', VERSION, RULE), pair('m2', VERSION)]
  expect(isStillKnown(open(approved, 'in-place'), 'latch', approved, true)).toBe(true)
  expect(isStillKnown(open(approved, 'in-place'), 'latch', [pair('m1', RULE), pair('m2', VERSION)], true)).toBe(true)
})

test('approved in place, a machine that is marked while the rest is held is not replaced by that', () => {
  const approved = [pair('m1', VERSION), pair('m2', VERSION)]
  const now = [pair('m1', VERSION), { ...pair('m2', VERSION), certainReplace: 'The machine is marked.' }]
  expect(isStillKnown(open(approved, 'in-place'), 'latch', now, true)).toBe(false)
  expect(isStillKnown(open(approved, 'replace'), 'latch', now, true)).toBe(true)
  // Before anything has begun it is the same change, whose approval is looked at anew.
  expect(isStillKnown(open(approved, 'in-place'), 'latch', now, false)).toBe(true)
})
