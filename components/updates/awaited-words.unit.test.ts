import { expect, it } from 'vitest'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import { timingDto } from '@/lib/services/policies/timing'
import { shownPlane, wayOutOf } from './by-plane'
import { change, decided } from './testing'
import { headlineOf, stateOf } from './words'

const OPEN = timingDto({ open: true, until: null })
const standing = (part: Partial<ListedStanding>): ListedStanding => ({
  ...{ way: 'in-place', given: 0, otherwise: 0, needed: 1, tooFew: null, forbidden: null },
  ...{ due: false, stands: false, goes: false, open: false, timing: OPEN, early: null },
  ...part,
})

it('says first of what was let go that its control plane, which is held, keeps it from getting machines', () => {
  const blockedBy = { changeId: 'p', name: 'cp', version: 'v1.34.2', begun: false, rejected: false, helps: false }
  const of = (state: 'approved' | 'running') => ({ ...change({ state }), blockedBy })
  expect(stateOf(of('running'))).toEqual({ words: 'Under way, blocked by its control plane', tone: 'needs' })
  expect(stateOf(of('approved'))).toEqual({ words: 'Approved, blocked by its control plane', tone: 'needs' })
  expect(headlineOf(of('running'))).toBe(
    'workers-a is blocked by its control plane: 0 of 2 updated in place, 0 of 1 created, 0 of 1 deleted or being deleted.',
  )
  expect(headlineOf(of('approved'))).toContain('workers-a is approved, and blocked by its control plane: 0 of 2')
  expect(stateOf({ ...of('running'), blockedBy: null }).words).toBe('Under way')
})

it('says of workers that wait for the version of their Cluster that their control plane waits for people', () => {
  const first = {
    ...{ changeId: 'p', name: 'cp', version: 'v1.34.2', begun: false, rejected: false, helps: false },
    first: true as const,
  }
  const timing = { ...OPEN, open: false, why: 'hook' as const }
  const waits = { ...change({ state: 'waiting', heldBy: 'hook' }), blockedBy: first }
  const approved = standing({ due: true, timing })
  expect(stateOf(waits, approved)).toEqual({ words: 'Approved, its control plane waits', tone: 'needs' })
  expect(stateOf({ ...waits, blockedBy: null }, approved).words).toBe('Approved, goes when it gets the version')
  expect(shownPlane(waits, approved)).toBe(first)
  // Itself it is asked about first.
  expect(stateOf(waits, standing({ timing })).words).toBe('Waiting for 1 approval')
  expect(shownPlane(waits, standing({ timing }))).toBeNull()
})

it('offers to let worker groups grow only where that gets it machines', () => {
  const by = { changeId: 'p', name: 'cp', version: 'v1.34.2', begun: false, rejected: false }
  expect(wayOutOf({ ...by, helps: true })).toBe('decide that first, or let worker groups grow there')
  expect(wayOutOf({ ...by, helps: false })).toBe('decide that first')
  expect(wayOutOf({ ...by, begun: true, helps: false })).toBe('decide the rest of that first')
})

it('between two machines of a control plane says that the next one waits, also before the hold is back', () => {
  const step = { done: 1, of: 3, since: '2026-11-30T12:00:00.000Z' }
  const of = { ...change({ state: 'running', decision: decided('replace'), step }), blockedBy: null }
  expect(stateOf(of)).toEqual({ words: '1 of 3 done, the next one waits', tone: 'needs' })
  expect(headlineOf(of)).toContain('workers-a waits for somebody to let its next machine go: ')
})

it('of a pool whose nodes all have it, names those that are awaited', () => {
  const outcome = { updatedInPlace: 2, created: 0, deleted: 0, failed: 0 }
  const only = { counts: { 'in-place': 2 }, created: 0, deleted: 0, headline: '' }
  const outlook = { ...change({}).outlook, inPlace: only, replace: only }
  const of = (names: string[]) => ({
    ...change({ state: 'running', groupName: 'worker', decision: decided('in-place'), outcome, outlook }),
    awaited: { names, says: 'It is not Ready, and counts against maxUnavailable.' },
  })
  expect(stateOf(of(['a'])).words).toBe('Waits for a node to be available again')
  expect(stateOf(of(['a', 'b'])).words).toBe('Waits for 2 nodes to be available again')
  expect(headlineOf(of(['a']))).toBe(
    'Every node of worker has it, and it is done when a is available again: 2 of 2 updated in place.',
  )
  expect(headlineOf(of(['a', 'b', 'c', 'd', 'e']))).toContain('when a, b, c and 2 more are available again')
  expect(stateOf({ ...of(['a']), awaited: null }).words).toBe('Under way')
})
