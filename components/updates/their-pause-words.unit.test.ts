import { describe, expect, it } from 'vitest'
import { standsWords } from './course-words'
import { clusterGoesWords } from './held-words'
import { change, decided } from './testing'
import { headlineOf, stateOf, whyOf } from './words'

describe('somebody’s own pause', () => {
  it('keeps what was approved, and is said wherever that is', () => {
    for (const state of ['approved', 'running', 'stuck'] as const) {
      const given = change({ state, decision: decided('replace') })
      expect(stateOf(given, null, 'group').words).toBe('Approved, and paused by somebody')
      expect(whyOf(given, null, 'group')).toBe('It goes on when that pause is taken away')
      expect(headlineOf(given, 'group')).toContain('somebody’s own pause keeps it')
      expect(stateOf(given).words).not.toContain('paused')
    }
    expect(whyOf(change({ state: 'waiting' }), null, 'group')).toBe('Somebody’s own pause keeps it besides')
    expect(stateOf(change({ state: 'done' }), null, 'group').words).toBe('Done')
  })
  it('keeps what is half way', () => {
    const outcome = { updatedInPlace: 2, created: 0, deleted: 0, failed: 0 }
    const given = change({ state: 'running', decision: decided('in-place'), outcome })
    expect(stateOf(given, null, 'group').words).toBe('Half way, and paused by somebody')
    expect(headlineOf(given, 'group')).toBe(
      'workers-a is half way, and somebody’s own pause keeps it: 2 of 2 updated in place, 0 of 1 created, 0 of 1 deleted or being deleted.',
    )
  })
  it('keeps what nobody approved, and that is not called approved', () => {
    for (const decision of [null, decided('reject'), decided('replace', 'voided')]) {
      const given = change({ state: 'running', decision })
      expect(stateOf(given, null, 'group').words).toBe('Under way, and paused by somebody')
      expect(whyOf(given, null, 'group')).toBe('Somebody’s own pause keeps it')
      expect(headlineOf(given, 'group')).toMatch(/^workers-a is under way, and somebody’s own pause keeps it/)
    }
    const asksNobody = change({ state: 'approved', decision: { ...decided('replace')!, byItself: 'p' } })
    expect(stateOf(asksNobody, null, 'group').words).toBe('Let go, and paused by somebody')
    expect(whyOf(asksNobody, null, 'group')).toBe('It goes on when that pause is taken away')
    expect(headlineOf(asksNobody, 'group')).toMatch(/^workers-a is let go, and somebody’s own pause keeps it/)
  })
})

describe('somebody’s own pause of its whole Cluster', () => {
  const both = ['cluster', 'both'] as const
  it('is said of what was approved: it is neither under way nor stuck', () => {
    for (const state of ['approved', 'running', 'stuck'] as const) {
      const given = change({ state, decision: decided('replace') })
      expect(both.map((pause) => stateOf(given, null, pause).words)).toEqual([
        'Approved, and its Cluster is paused by somebody',
        'Approved, and paused by somebody, as is its Cluster',
      ])
      expect(both.map((pause) => whyOf(given, null, pause))).toEqual([
        'It goes on when that pause is taken away',
        'It goes on when both pauses are taken away',
      ])
      expect(headlineOf(given, 'cluster')).toMatch(
        /^workers-a is approved, and somebody’s own pause of its Cluster keeps it: /,
      )
    }
  })
  it('is said of what nobody approved, and of what waits', () => {
    expect(whyOf(change({ state: 'running', decision: null }), null, 'cluster')).toBe(
      'Somebody’s own pause of its Cluster keeps it',
    )
    expect(whyOf(change({ state: 'waiting' }), null, 'cluster')).toBe(
      'Somebody’s own pause of its Cluster keeps it besides',
    )
  })
})

it.each([
  [
    'waits for an approval',
    { state: 'waiting', heldBy: 'latch' },
    'cluster',
    /^\. Approved before that, it begins only then\.$/,
  ],
  ['nobody is asked about', { state: 'waiting', heldBy: 'person' }, 'both', /^\.$/],
  [
    'was approved',
    { state: 'running', decision: decided('replace') },
    'cluster',
    /^\. That is enough: it goes on then\.$/,
  ],
  [
    'was approved, below a pause of the group as well',
    { state: 'running', decision: decided('replace') },
    'both',
    /^\.$/,
  ],
  ['was rejected', { state: 'rejected', heldBy: 'latch' }, 'cluster', /^\.$/],
] as const)('what comes of it when its Cluster is let go again: one that %s', (_, of, theirs, words) => {
  const about = { paused: null, stopped: null, step: null, held: { theirs }, ...of }
  expect(clusterGoesWords(about as unknown as Parameters<typeof clusterGoesWords>[0])).toMatch(words)
})

it('that it stands still for that, before it is played on', () => {
  expect(standsWords({ state: 'running' }, 'cluster')).toBe(
    'It stands still: somebody paused its whole Cluster. Once that pause is taken away, it would go on like this:',
  )
})

describe('somebody’s own pause of a pool, where a node that had begun is stuck', () => {
  const stuckReason = 'n1: A disruption budget keeps shop/ledger-0.'
  const given = change({ state: 'stuck', groupKind: 'MachineConfigPool', decision: decided('in-place'), stuckReason })
  it('is not what that node waits for', () => {
    expect(stateOf(given, null, 'group')).toEqual({ words: 'Stuck, and paused by somebody', tone: 'bad' })
    expect(whyOf(given, null, 'group')).toBe(`${stuckReason} Somebody’s own pause keeps those that have not begun`)
    expect(headlineOf(given, 'group')).toBe(
      `Stuck: ${stuckReason} Somebody’s own pause keeps those that have not begun.`,
    )
    expect(standsWords(given, 'group')).toBe(
      'It stands still. Once that is solved, and that pause is taken away, it would go on like this:',
    )
  })
})
