import { expect, it } from 'vitest'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import { timingDto } from '@/lib/services/policies/timing'
import { onceMoreWords, waitsFor } from './standing-words'
import { change } from './testing'
import { whyOf } from './words'

const OPEN = timingDto({ open: true, until: null })
const CLOSED = { ...OPEN, open: false, why: 'window', policy: 'nights', opens: '2026-11-28T21:00:00.000Z', zone: 'UTC' }
const standing = (more: object = {}) =>
  ({
    ...{ way: 'in-place', given: 1, otherwise: 0, needed: 1, tooFew: null, forbidden: null, due: false },
    ...{ stands: false, goes: false, open: false, timing: CLOSED, early: null, ...more },
  }) as ListedStanding

it('outside its windows, a list says that what enough approve waits for somebody, and does not go by itself', () => {
  expect(waitsFor(standing()).words).toBe('To be approved once more')
  expect(whyOf(change({}), standing())).toMatch(
    /does not go by itself: somebody has to approve it once more\. .*windows of the policy nights/,
  )
  expect(whyOf(change({}), standing({ due: true }))).not.toContain('once more')
})

it('whoever approved it already may do so once more', () => {
  expect(onceMoreWords({ count: 0, names: [] })).toMatch(
    /approve it once more\. Whoever approved it already may do so\.$/,
  )
  expect(onceMoreWords({ count: 1, names: ['Zed'] })).toMatch(
    /Who may still approve it: Zed\. Whoever approved it already may do so, too\.$/,
  )
})
