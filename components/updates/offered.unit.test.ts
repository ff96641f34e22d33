import { describe, expect, it } from 'vitest'
import type { Outlook } from '@/lib/domain/changes/types'
import type { ChangePolicy } from '@/lib/services/changes/policy-of-change'
import { offered } from './offered'

const nothing = { counts: {}, created: 0, deleted: 0, headline: '' }
/** Spares are there, and only what goes for them is left. */
const gone: Outlook = {
  inPlace: { ...nothing, deleted: 3, removed: 3 },
  replace: { ...nothing, deleted: 3, removed: 3 },
  uncovered: [],
}
const both: Outlook = {
  inPlace: { ...nothing, counts: { 'in-place': 2 } },
  replace: { ...nothing, counts: { replace: 2 }, created: 2, deleted: 2 },
  uncovered: [],
}
const policy = (due: boolean, early: object | null = null) => ({ rules: {}, listed: { due, early } }) as ChangePolicy
type Given = Parameters<typeof offered>[1]
const of = (
  outlook: Outlook,
  dueMode: 'in-place' | 'replace' | null,
  due: boolean,
  given: Given = null,
  early?: object,
) => offered({ outlook, dueMode, policy: policy(due, early) }, given)

describe('of what changes no machine that is there, letting it go is offered', () => {
  it.each([
    ['that nobody approved', of(gone, null, false), ['let-go']],
    ['that is approved in place, and kept for its time', of(gone, 'in-place', true), []],
    ['that is approved replacing, and kept for its time', of(gone, 'replace', true), []],
    ['whose approvals do not count any more', of(gone, 'in-place', false), ['let-go']],
    ['whose approval ends before it may go', of(gone, 'in-place', true, null, { ends: '' }), ['let-go']],
    ['that this person approved', of(gone, null, false, 'in-place'), []],
  ])('%s', (_, is, expected) => expect(is).toEqual(expected))
})

describe('each way is offered', () => {
  it.each([
    ['that nobody approved', of(both, null, false), ['in-place', 'replace']],
    ['but that which is approved', of(both, 'in-place', true), ['replace']],
    ['but that which this person approved', of(both, null, false, 'replace'), ['in-place']],
    ['of which there is only one', of({ ...both, only: 'in-place' }, null, false), ['in-place']],
  ])('%s', (_, is, expected) => expect(is).toEqual(expected))
})
