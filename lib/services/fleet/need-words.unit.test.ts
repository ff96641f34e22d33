import { expect, test } from 'vitest'
import { timingDto } from '../policies/timing'
import { asked } from './need-words'

const outcome = { counts: { replace: 1 }, created: 0, deleted: 0, headline: '' }
const way = { needed: 1, missing: 0, oneMore: false, forbidden: null, early: null }
const WINDOW = {
  ...timingDto({ open: true, until: null }),
  open: false,
  why: 'window',
  opens: '2026-12-01T01:00:00.000Z',
}
type Args = Parameters<typeof asked>

test.each([
  ['MachineDeployment', null, 'Approved, goes 2026-12-01 01:00 UTC'],
  ['MachineDeployment', 'group', 'Approved. Somebody paused the group themselves, and has to take that away'],
  ['MachineConfigPool', 'group', 'Approved. Somebody paused the pool themselves, and has to take that away'],
] as const)(
  'of a %s, paused: %s, no time is promised that somebody’s own pause keeps',
  (groupKind, byOthers, words) => {
    const change = {
      ...{
        groupKind,
        state: 'waiting',
        heldBy: 'latch',
        dueMode: 'replace',
        decision: null,
        stopped: null,
        paused: null,
      },
      ...{
        step: null,
        stuckReason: null,
        holdLevel: 'fresh',
        outlook: { inPlace: null, replace: outcome, uncovered: [] },
      },
    } as unknown as Args[1]
    const standing = { ways: { 'in-place': way, replace: way }, timing: WINDOW, early: null, unasked: null } as never
    const ctx = { actor: { id: 'a', role: 'approver' } } as Args[0]
    expect(asked(ctx, change, { standing, since: null, byOthers, unasked: null, taken: 0 })).toBe(words)
  },
)
