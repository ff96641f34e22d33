import { describe, expect, it } from 'vitest'
import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { Ended } from '@/lib/services/changes/ended'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import { heldAtEnd, happenedWords, overWords, nothingMoved, progressWords, stillCounts } from './outcome-words'
import { change, decided } from './testing'
import { triedOf } from './tried-of'
import { headlineOf, stateOf, seenWords, voidedWords, wasUnderWay, whyOf } from './words'

it('says of what was sent, and not answered, that it is not known whether the cluster took it', () => {
  const sent = { ...decided('replace', 'applying')!, unanswered: 6 }
  const { words } = stateOf(change({ state: 'approved', decision: sent }))
  expect(words).toBe('Approved, not known whether the cluster took it')
})

it('says loudly that what moves because its hold was taken away is approved by nobody', () => {
  const moves = change({ state: 'running', decision: decided('reject', 'voided') })
  expect(stateOf(moves, null, null, null, 'taken')).toEqual({
    words: 'Under way, and nobody approved it',
    tone: 'needs',
  })
  expect(headlineOf(moves, null, null, null, 'taken')).toBe(
    'workers-a is being updated, and nobody approved it: its hold was taken away outside Drydock, after Ada had rejected it. 0 of 2 updated in place, 0 of 1 created, 0 of 1 deleted or being deleted.',
  )
  expect(whyOf(moves, null, null, null, 'taken')).toBe('Its hold was taken away outside Drydock')
  expect(stateOf(moves)).toEqual({ words: 'Under way', tone: 'plain' })
  const outcome = { updatedInPlace: 1, created: 0, deleted: 5, failed: 0, remediated: 5 }
  expect(stateOf({ ...moves, outcome })).toEqual({ words: 'Under way, 5 deleted by remediation', tone: 'bad' })
})

it('says of what is stuck and approved by nobody both: what it is stuck on, and that nobody approved it', () => {
  const stuck = change({ state: 'stuck', stuckReason: 'w-1: a disruption budget keeps db-0 on its node' })
  expect(whyOf(stuck, null, null, null, 'never-held')).toBe(
    'It began without having been held. Stuck: w-1: a disruption budget keeps db-0 on its node',
  )
  expect(headlineOf(stuck, null, null, null, 'never-held')).toBe(
    'Stuck, and nobody approved it: w-1: a disruption budget keeps db-0 on its node. It began without having been held.',
  )
})

it('of those that are what is wanted, the ones that failed or are still at it are not counted as up to date', () => {
  const counts = { 'up-to-date': 3, replace: 9 }
  expect(stillCounts(counts, { failed: 1, updating: 1 })).toEqual({ 'up-to-date': 1, replace: 9 })
  expect(stillCounts({ 'up-to-date': 1, replace: 11 }, { failed: 1, updating: 0 })).toEqual({ replace: 11 })
  expect(stillCounts(counts, undefined)).toEqual(counts)
  // More failed than it was said to count: it is a moment older.
  expect(stillCounts({ replace: 1 }, { failed: 2, updating: 0 })).toEqual({ replace: 1 })
})

it('does not say when a change was written that was stored before it was seen', () => {
  const running = change({ state: 'running', heldBy: 'latch', startedAt: '2026-11-20T10:00:00.000Z' })
  const seen = { ...running, detectedAt: '2026-11-20T09:10:00.000Z' }
  expect(seenWords({ ...seen, firstSeen: false })).toBeNull()
  expect(seenWords({ ...seen, firstSeen: true })).toBe('written before Drydock saw it, first seen')
  // Also once it is over.
  expect(seenWords({ ...seen, firstSeen: true, ...{ state: 'done' as const } })).toBe(
    'written before Drydock saw it, first seen',
  )
  const began = { ...seen, heldBy: 'none' as const, startedAt: seen.detectedAt }
  expect(seenWords({ ...began, firstSeen: false })).toBe('found under way, first seen')
})

describe('what could not be sent when its time had come', () => {
  const error = 'The API server answered with 503. Nothing was released; it is tried again by itself.'
  const tried = { ...decided('replace', 'voided')!, triedAt: '2026-11-20T09:00:00.000Z', error }
  const due = (more: object) =>
    ({ due: true, goes: false, forbidden: null, early: null, timing: { open: true, ...more } }) as ListedStanding

  it('is tried again, and says so', () => {
    const waits = change({ state: 'waiting', decision: tried })
    expect(stateOf(waits, due({})).words).toBe('Approved, and not sent yet: it is tried again')
    expect(whyOf(waits, due({}))).toBe(error)
    expect(triedOf(waits, due({}))).toMatchObject({ triedAt: tried.triedAt })
  })

  it('waits for its time where that is over by now, and for nothing else where it went', () => {
    expect(triedOf(change({ state: 'waiting', decision: tried }), due({ open: false }))).toBeNull()
    expect(triedOf(change({ state: 'waiting', decision: tried }), { ...due({}), due: false })).toBeNull()
    expect(triedOf(change({ state: 'running', decision: tried }), due({}))).toBeNull()
    expect(triedOf(change({ state: 'waiting', decision: decided('replace', 'voided') }), due({}))).toBeNull()
  })
})

it.each<[Ended, string, RegExp]>([
  ['newer', 'Superseded by a newer change', /^A newer change of workers-a took the place/],
  ['deleted', 'Over, its group was deleted', /^workers-a was deleted before this was over/],
  ['disconnected', 'Over, its cluster was disconnected', /^The cluster of workers-a was disconnected before/],
])('what is over since %s is said so, in the list as on its page', (ended, chip, headline) => {
  const over = { ...change({ state: 'superseded' }), ended }
  expect(stateOf(over).words).toBe(chip)
  expect(headlineOf(over)).toMatch(headline)
})

it('of what was rejected or paused when its cluster was disconnected, says so', () => {
  const over = { state: 'superseded' } as const
  const rejected = change({ ...over, decision: decided('reject', 'voided') })
  expect(headlineOf({ ...rejected, ended: 'disconnected' })).toBe(
    'The cluster of workers-a was disconnected before this was over, after Ada had rejected it.',
  )
  const paused = { by: 'Ada', reason: null, at: '2026-11-21T16:00:00.000Z' }
  expect(headlineOf({ ...change({ ...over, paused }), ended: 'disconnected' })).toBe(
    'The cluster of workers-a was disconnected before this was over, while Ada had it paused.',
  )
})

it('of what was half-way when its cluster was disconnected, says how far it had come', () => {
  const outcome = { updatedInPlace: 2, created: 0, deleted: 0, failed: 1 }
  expect(headlineOf({ ...change({ state: 'superseded', outcome }), ended: 'disconnected' })).toBe(
    'The cluster of workers-a was disconnected before this was over: 2 updated in place, 1 failed by then.',
  )
})

describe('the headline', () => {
  it('says what would happen only before it does', () => {
    expect(headlineOf(change({}))).toContain('would be updated in place')
    for (const state of ['approved', 'running', 'stuck', 'done', 'superseded', 'reverted'] as const)
      expect(headlineOf(change({ state, decision: decided('in-place') }))).not.toContain('would')
  })
  it('says how far an update in place with a spare has come', () => {
    const outcome = { updatedInPlace: 1, created: 1, deleted: 0, failed: 0 }
    expect(headlineOf(change({ state: 'running', decision: decided('in-place'), outcome }))).toBe(
      'workers-a is being updated: 1 of 2 updated in place, 1 of 1 created, 0 of 1 deleted or being deleted.',
    )
  })
  it('follows the way that was approved, and not one that the cluster refused', () => {
    expect(progressWords(change({ decision: decided('replace') }))).toBe(
      '0 of 3 created, 0 of 3 deleted or being deleted',
    )
    expect(progressWords(change({ decision: decided('replace', 'failed') }))).toContain('updated in place')
  })
  it('never counts beyond what there is', () => {
    const outcome = { updatedInPlace: 0, created: 5, deleted: 4, failed: 1 }
    expect(progressWords(change({ decision: decided('replace'), outcome }))).toBe(
      '5 of 5 created, 4 of 4 deleted or being deleted, 1 failed',
    )
  })
  it('counts the whole since it was first let go, also after a hold', () => {
    const { outlook } = change({})
    const before = { inPlace: 1, created: 1, deleted: 0 }
    const outcome = { updatedInPlace: 1, created: 1, deleted: 0, failed: 0 }
    expect(progressWords(change({ outlook: { ...outlook, before }, outcome, decision: decided('in-place') }))).toBe(
      '1 of 3 updated in place, 1 of 2 created, 0 of 1 deleted or being deleted',
    )
  })
  it('says afterwards what happened, also when nothing had to', () => {
    const outcome = { updatedInPlace: 2, created: 1, deleted: 1, failed: 0 }
    expect(headlineOf(change({ state: 'done', outcome }))).toBe('Done: 2 updated in place, 1 created, 1 deleted.')
    expect(headlineOf(change({ state: 'done' }))).toBe('Done: no machine had to change.')
    expect(happenedWords({ outcome: null })).toBe('')
    const goes = { updatedInPlace: 1, created: 0, deleted: 3, failed: 0, deleting: 1 }
    expect(happenedWords({ outcome: goes })).toBe('1 updated in place, 2 deleted, 1 being deleted')
    // What had begun goes on to its end, and stays what it was where nobody looks any more.
    expect(overWords({ ended: null, outcome: goes })).toBe('1 updated in place, 2 deleted, 1 being deleted')
    expect(overWords({ ended: 'disconnected', outcome: goes })).toMatch(/1 being deleted by then$/)
    const left = {
      ...change({ state: 'superseded', outcome: { ...goes, deleted: 1 } }),
      ended: 'disconnected' as const,
    }
    expect(headlineOf(left)).toMatch(/: 1 updated in place, 1 being deleted by then\.$/)
  })
})

describe('approved in place, and over', () => {
  const inPlace = { counts: { 'in-place': 5 }, created: 0, deleted: 0, headline: '' }
  const over = (outcome: object, more: Partial<ChangeDto> = {}) =>
    change({
      ...{ state: 'done', decision: decided('in-place'), outlook: { ...change({}).outlook, inPlace }, ...more },
      outcome: { updatedInPlace: 5, created: 0, deleted: 0, failed: 0, ...outcome },
    })
  const ill = { updatedInPlace: 1, created: 4, deleted: 4, remediated: 4 }
  it('as it was approved, it is done', () => {
    expect(stateOf(over({}))).toEqual({ words: 'Done', tone: 'good' })
    expect(headlineOf(over({}))).toBe('Done: 5 updated in place.')
  })
  it('says how many were updated so where others were remediated, or deleted by somebody, and is no plain success', () => {
    expect(stateOf(over(ill))).toEqual({ words: 'Done, 1 of 5 in place', tone: 'plain' })
    expect(headlineOf(over(ill))).toBe('Done: 1 of 5 updated in place, 4 deleted by remediation, 4 created.')
    const others = { ...ill, deleted: 5, updatedInPlace: 0, created: 5 }
    expect(headlineOf(over(others))).toBe(
      'Done: 0 of 5 updated in place, 4 deleted by remediation, 5 created, 1 deleted.',
    )
  })
  it('counts what others deleted, and what was created for that, among nothing that was approved', () => {
    const others = { updatedInPlace: 0, created: 1, deleted: 1, byOthers: 1, madeUp: 1, failed: 2 }
    const told = '1 deleted, not by the rollout, 1 created in its place, 2 failed'
    const { outcome, outlook, decision } = over(others)
    expect(happenedWords({ outcome })).toBe(told)
    expect(progressWords({ outcome, outlook, decision })).toBe(`0 of 5 updated in place, ${told}`)
    const coming = { ...others, created: 0, madeUp: 0, deleting: 0, failed: 0 }
    expect(happenedWords({ outcome: coming })).toBe('1 deleted, not by the rollout')
    const goes = { ...coming, deleted: 2, byOthers: 2, byOthersDeleting: 1 }
    expect(happenedWords({ outcome: goes })).toBe('1 deleted, not by the rollout, 1 being deleted, not by the rollout')
  })
  it('counts what was dealt with before it was held', () => {
    const outlook = { ...over({}).outlook, before: { inPlace: 2, created: 0, deleted: 0 } }
    expect(stateOf(over({ updatedInPlace: 6, created: 1, deleted: 1 }, { outlook })).words).toBe(
      'Done, 6 of 7 in place',
    )
  })
  it('but not where it was approved replacing', () => {
    expect(stateOf(over(ill, { decision: decided('replace') })).words).toBe('Done')
  })
  it('what is remediated is none of those that it was to delete', () => {
    expect(progressWords(over(ill, { state: 'running' }))).toBe(
      '1 of 5 updated in place, 4 of 4 created, 4 deleted by remediation',
    )
  })
})

describe('a decision that is void', () => {
  const old = (part: object = {}) =>
    ({ id: 'd1', mode: 'in-place', state: 'voided', error: null, acceptedAt: null, ...part }) as NonNullable<
      ChangeDto['decision']
    >
  const ended = (how: Ended) => ({ ...change({ state: 'superseded', decision: old() }), ended: how })
  it.each([
    ['was followed by another', change({ decision: old({ id: 'd2' }) }), old(), /decided anew/],
    ['was of a change that another replaced', ended('newer'), old(), /newer change/],
    ['was of a group that is gone', ended('deleted'), old(), /^void: its group was deleted$/],
    ['was of a cluster that left', ended('disconnected'), old(), /^void: its cluster was disconnected$/],
    ['was of a change that was taken back', change({ state: 'reverted', decision: old() }), old(), /changed back/],
    [
      'was a rejection whose hold somebody removed',
      change({ state: 'running', decision: old({ mode: 'reject' }) }),
      old({ mode: 'reject', acceptedAt: '2026-11-21T16:00:00.000Z' }),
      /past Drydock/,
    ],
    [
      'had let it go, and somebody held it again',
      change({ decision: old() }),
      old({ acceptedAt: '2026-11-21T16:00:00.000Z' }),
      /held again/,
    ],
    ['was too late', change({ decision: old() }), old({ error: 'The desired state changed.' }), /desired state/],
  ])('%s', (_, given, decision, words) => expect(voidedWords(given, decision)).toMatch(words))
})

it.each([
  [{}, 'The cluster refused the decision'],
  [{ noAnswer: true }, 'Not known whether the cluster took the decision'],
])('a decision that failed, %j: %s', (more, words) => {
  expect(stateOf(change({ decision: { ...decided('replace', 'failed')!, ...more } })).words).toBe(words)
})

it('what was held in the middle is not said to be as if it had not begun', () => {
  const timing = { open: true, besides: [], apart: [] } as unknown as ListedStanding['timing']
  const due = { due: true, goes: false, forbidden: null, early: null, timing } as ListedStanding
  const { outlook } = change({})
  const before = { inPlace: 1, created: 0, deleted: 0 }
  // As it waits for its time, and as it is let go.
  for (const state of ['waiting', 'approved'] as const) {
    expect(stateOf(change({ state }), due).words).toBe('Approved, about to start')
    expect(stateOf(change({ state, outlook: { ...outlook, before } }), due).words).toBe('Half way, about to go on')
  }
})

it('of what stands as it was approved, its decision is not said to be void', () => {
  const decision = { id: 'a', mode: 'in-place', error: null, acceptedAt: 'then' } as const
  const held = { state: 'waiting', decision } as const
  expect(voidedWords({ ...held, dueMode: 'in-place' }, { ...decision, heldAgain: true })).toBe(
    'held again after it had been let go; what it was approved with stands',
  )
  // Whoever approves it so again, and takes that back.
  for (const dueMode of [null, 'in-place'] as const)
    expect(voidedWords({ ...held, dueMode }, decision)).toBe('void: held again after it had been let go')
})

it('what was paused and resumed was not decided anew, and what was paused until it was through is not void', () => {
  const decision = { id: 'a', mode: 'in-place', error: null, acceptedAt: 'then', heldAgain: true } as const
  const held = 'held again after it had been let go'
  expect(voidedWords({ state: 'running', decision: { id: 'b' }, dueMode: null }, decision)).toBe(held)
  expect(voidedWords({ state: 'done', decision, dueMode: null }, decision)).toBe(held)
  const newer = { state: 'superseded', decision, dueMode: null, ended: 'newer' } as const
  expect(voidedWords(newer, decision)).toMatch(/^void: a newer change/)
})

it('what was paused at its very end goes on by what let it go, and is shown as let go here', () => {
  const decision = { ...decided('in-place', 'voided')!, heldAgain: true }
  for (const state of ['running', 'stuck', 'done'] as const) expect(heldAtEnd(change({ state, decision }))).toBe(true)
  expect(heldAtEnd(change({ state: 'waiting', decision }))).toBe(false)
  expect(heldAtEnd(change({ state: 'running', decision: decided('in-place', 'voided') }))).toBe(false)
})

it('where enough approvals are left, nobody is said to be waited for', () => {
  const standing = {
    given: 2,
    needed: 2,
    due: false,
    goes: false,
    forbidden: null,
    early: null,
    timing: { open: true },
  }
  expect(whyOf(change({}), standing as unknown as ListedStanding)).toMatch(
    /^The approvals that stand are enough by now, /,
  )
})

it('while it is blocked, nobody is asked to approve it', () => {
  const blocked = 'The template t does not exist.'
  const given = change({ state: 'waiting', outlook: { ...change({}).outlook, blocked } })
  expect(stateOf(given).words).toBe('Cannot be approved yet')
  expect(whyOf(given)).toBe(blocked)
})

describe('let go in place, and stopped because nobody is asked any more', () => {
  const outlook = { ...change({}).outlook, inPlace: null, whyNotInPlace: 'In-place updates are off.' }
  const outcome = { updatedInPlace: 2, created: 0, deleted: 0, failed: 0 }
  it('says so first', () => {
    const given = change({ outlook, outcome })
    expect(stateOf(given, null, null, 'off')).toEqual({
      words: 'Stopped: in-place updates were switched off',
      tone: 'needs',
    })
    expect(whyOf(given, null, null, 'gone')).toBe('Held again, until somebody decides anew')
    expect(headlineOf(given, null, null, 'off')).toBe(
      'workers-a was stopped on its way in place: 2 updated in place by then.',
    )
    expect(headlineOf(change({ outlook }), null, null, 'off')).toContain('no machine was through by then')
  })
  it('and so does what was approved in place, and waits for its time', () => {
    const due = change({ dueMode: 'in-place', outlook })
    expect(stateOf(due)).toEqual({ words: 'Approved in place, which cannot be done now', tone: 'needs' })
    expect(whyOf(due)).toBe('In-place updates are off.')
    const unknown = { ...outlook, unknown: outlook.replace }
    expect(stateOf(change({ dueMode: 'in-place', outlook: unknown })).words).toBe('Waiting for approval')
    expect(stateOf(change({ dueMode: 'replace', outlook })).words).toBe('Waiting for approval')
  })
})

it('what the latch does not hold says what does', () => {
  const given = change({ heldBy: 'gate' })
  const standing = { needed: 2, given: 0, otherwise: 0, timing: { open: true } } as ListedStanding
  expect(stateOf(given, standing).words).toBe('Held by the update gate, waiting for 2 approvals')
  expect(stateOf(given, { ...standing, given: 1 }).words).toBe('Held by the update gate, 1 of 2 approvals')
  expect(whyOf(given, standing)).toBe('The latch does not hold it: its group is not paused')
  expect(stateOf(change({ heldBy: 'latch' }), standing).words).toBe('Waiting for 2 approvals')
})

it('nothing moved only where it is over and nothing happened', () => {
  const outcome = { updatedInPlace: 1, created: 0, deleted: 0, failed: 0 }
  expect(nothingMoved(change({ state: 'reverted' }))).toBe(true)
  expect(nothingMoved(change({ state: 'superseded', outcome }))).toBe(false)
  expect(nothingMoved(change({ state: 'waiting' }))).toBe(false)
  expect(nothingMoved(change({ state: 'done' }))).toBe(false)
})

it('of what was stored before Drydock saw it, and changed back, nobody knows that nothing had moved', () => {
  const back = change({ state: 'reverted', firstSeen: true })
  expect(stateOf(back).words).toBe('Reverted')
  expect(headlineOf(back)).toBe('workers-a was changed back before Drydock saw anything move.')
})

describe('rejected, and then changed back', () => {
  const rejected = { mode: 'reject', state: 'voided', actorName: 'Ada', reason: 'Not tonight', error: null }
  const reverted = (part: object = {}) =>
    change({ state: 'reverted', decision: { ...rejected, ...part } as ChangeDto['decision'] })
  it('says who had rejected it, and why', () => {
    expect(stateOf(reverted()).words).toBe('Rejected by Ada, then changed back')
    expect(headlineOf(reverted())).toBe('workers-a was changed back before anything moved, after Ada had rejected it.')
    expect(whyOf(reverted())).toBe('“Not tonight”')
  })
  it('but not where the cluster refused that, and nobody else had', () => {
    for (const given of [reverted({ error: 'Refused.' }), change({ state: 'reverted' })]) {
      expect(stateOf(given).words).toBe('Reverted before anything moved')
      expect(headlineOf(given)).toBe('workers-a was changed back before anything moved.')
    }
  })
})

describe('a rollout that was under way when it was first seen', () => {
  const at = (ms: number) => new Date(1_764_000_000_000 + ms).toISOString()
  const seen = (part: object = {}) =>
    wasUnderWay({ heldBy: 'none', decision: null, detectedAt: at(0), startedAt: at(-3), ...part })
  it.each([
    ['is one', seen(), true],
    ['not where it was held', seen({ heldBy: 'latch' }), false],
    ['not where somebody decided here', seen({ decision: decided('in-place') }), false],
    ['not where its hold was taken away later', seen({ startedAt: at(4_000) }), false],
    ['not before it began', seen({ startedAt: null }), false],
  ])('%s', (_, given, is) => expect(given).toBe(is))
})

describe('the way that its policy would have', () => {
  it('is the one that is spoken of before anybody decided, and not after', () => {
    expect(headlineOf(change({}), null, { way: 'replace', due: false })).toBe('3 machines would be replaced.')
    expect(headlineOf(change({}), null, { way: 'in-place', due: false })).toContain('updated in place')
    const approved = change({ state: 'approved', decision: decided('in-place') })
    expect(headlineOf(approved, null, { way: 'replace', due: false })).toContain('in place')
  })
})
