import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pauseView, resumeView } from './pause-risk'
import { poolState } from './state'
import type { Pool, PoolState } from './types'

const pool = (more: Partial<Pool> = {}): Pool => ({
  ...{ name: 'worker', paused: false, maxUnavailable: 1, currentConfig: 'b', desiredConfig: 'b' },
  counts: { machines: 6, updated: 6, ready: 6, unavailable: 0, degraded: 0 },
  conditions: [{ type: 'Updated', status: 'True' }],
  ...{ certificates: [], pending: false, required: false },
  ...more,
})
const behind = { counts: { machines: 6, updated: 2, ready: 2, unavailable: 1, degraded: 0 }, currentConfig: 'a' }
const facts = {
  ...{ wanted: '4.22.4', desired: '4.22.4' as string | null, clusterUpdating: false, underWay: 0 },
  now: Date.parse('2026-11-21T07:30:00Z'),
}

describe('a pool whose counts say nothing of what it wants', () => {
  it.each<[string, Partial<Pool>, Partial<typeof facts>, PoolState, string]>([
    [
      'the counts are those of the configuration before',
      { pending: true, currentConfig: 'a' },
      {},
      'updating',
      'How many of 6 nodes have the new configuration of 4.22.4 is not counted yet. At most 1 at once.',
    ],
    [
      'all counted, and not all said to have reached it',
      { currentConfig: 'a' },
      {},
      'updating',
      '6 of 6 nodes have the new configuration of 4.22.4. At most 1 at once.',
    ],
    [
      'an update has begun, and of which release its configuration is is not known',
      {},
      { desired: null, clusterUpdating: true },
      'unknown',
      'The cluster is on its way to 4.22.4; of which release this pool’s configuration is cannot be told.',
    ],
    [
      'the same, and paused',
      { paused: true },
      { desired: null, clusterUpdating: true },
      'unknown',
      'The cluster is on its way to 4.22.4; of which release this pool’s configuration is cannot be told. It is paused.',
    ],
    [
      'still taking up the one before as an update begins',
      { ...behind, conditions: [{ type: 'Updating', status: 'True' }] },
      { wanted: '4.23.1', clusterUpdating: true },
      'updating',
      'The cluster is on its way to 4.23.1; this pool is still taking up what came before. 2 of 6 nodes have the new configuration of 4.22.4.',
    ],
    [
      'paused, and the counts are those of the configuration before',
      { paused: true, pending: true, currentConfig: 'a' },
      {},
      'behind',
      'Paused, and a configuration of 4.22.4 waits; the operator has not counted its nodes yet.',
    ],
    [
      'paused a moment ago',
      { paused: true, pending: true },
      {},
      'paused',
      'Paused. The operator has not counted its nodes since then.',
    ],
  ])('%s', (_, of, releases, state, sentence) => {
    expect(poolState(pool(of), { ...facts, ...releases })).toMatchObject({ state, sentence })
  })
})

describe('what follows', () => {
  it('of resuming a pool that has what it wants is nothing', () => {
    expect(resumeView(pool({ paused: true }), facts).follows).toEqual([
      'Nothing begins at once: all nodes have the configuration that the pool wants.',
      'Whatever comes next is taken up at once.',
    ])
  })

  it('of resuming or pausing a pool without nodes speaks of none', () => {
    const counts = { machines: 0, updated: 0, ready: 0, unavailable: 0, degraded: 0 }
    const empty = pool({ counts, paused: true })
    expect(resumeView(empty, facts)).toEqual({
      follows: ['Nothing begins: no node belongs to the pool.', 'Whatever comes next is taken up at once.'],
      warnings: [],
    })
    const later = resumeView(empty, { ...facts, wanted: '4.23.1', clusterUpdating: true }).follows[1]
    expect(later).toBe('The configuration of 4.23.1 is not rendered for this pool yet. No node waits for it.')
    expect(pauseView(empty, facts).follows[0]).toMatch(/^No node belongs to the pool; whatever/)
    // Which nodes it has by now is not known.
    const uncounted = resumeView(pool({ counts, paused: true, pending: true, currentConfig: 'a' }), facts)
    expect(uncounted.follows[0]).not.toMatch(/^Nothing begins/)
  })

  it.each<[string, boolean, string, RegExp]>([
    [
      'latched',
      true,
      'latched in the same write',
      /waits for its approval: .* governed, and latched in the same write\.$/,
    ],
    ['to be held, and is not', false, 'not held now', /taken up at once: the pool is governed, and not held now\.$/],
  ])('of resuming one that is governed, and %s', (_, waits, words, next) => {
    const coming = { waits, words, images: 'images are held by pausing', trouble: null }
    const { follows } = resumeView(pool({ paused: true }), { ...facts, coming })
    expect(follows.slice(1)).toEqual([expect.stringMatching(next), 'Images are held by pausing.'])
    // Of what waits already it says what begins; what is not rendered yet waits then.
    const later = resumeView(pool({ paused: true, ...behind }), { ...facts, wanted: '4.23.1', coming }).follows
    expect(later[0]).toMatch(/nodes begin to take up/)
    expect(later[1]).toMatch(
      waits ? /As soon as it is, it waits for its approval/ : /all 6 nodes take it up.*not held now/,
    )
    const [untold] = resumeView(pool({ paused: true, ...behind }), {
      ...facts,
      desired: null,
      clusterUpdating: true,
      coming,
    }).follows.filter((said) => said.includes('cannot be told now'))
    expect(untold).toMatch(next)
  })

  // Nodes drain as soon as it is resumed: nobody may be told otherwise.
  it.each<[string, Partial<Pool>, Partial<typeof facts>, RegExp, RegExp]>([
    [
      'a configuration waits, and an update has begun whose own is not rendered',
      { ...behind, counts: { ...behind.counts, updated: 0 } },
      { wanted: '4.23.1', clusterUpdating: true },
      /^6 nodes begin to take up the newest configuration \(4\.22\.4\), at most 1 at a time/,
      /configuration of 4\.23\.1 is not rendered.*all 6 nodes take it up, 1 at a time/,
    ],
    [
      'the counts are those of the configuration before',
      { pending: true, currentConfig: 'a' },
      {},
      /^Nodes without the newest configuration \(4\.22\.4\) begin.*not counted yet how many of 6/,
      /cordoned, drained/,
    ],
    [
      'taken back in the middle: the last that all reached is the one that is wanted, and some are elsewhere',
      { pending: true },
      {},
      /begin to take it up/,
      /cordoned/,
    ],
    ['counted, but not all are said to have reached it', { currentConfig: 'a' }, {}, /begin to take it up/, /cordoned/],
    ['nothing is known of what nodes have', { currentConfig: null }, {}, /begin to take it up/, /cordoned/],
    [
      'nothing waits, and the release is not rendered yet',
      {},
      { wanted: '4.23.1', clusterUpdating: true },
      /^Nothing begins at once/,
      /configuration of 4\.23\.1 is not rendered for this pool yet/,
    ],
    [
      'nothing waits, and of which release it is is not known',
      {},
      { desired: null, clusterUpdating: true },
      /^Nothing begins at once/,
      /on its way to 4\.22\.4, and of which release.*cannot be told now/,
    ],
  ])('resuming: %s', (_, of, more, first, second) => {
    const { follows } = resumeView(pool({ paused: true, ...of }), { ...facts, ...more })
    expect(follows[0]).toMatch(first)
    expect(follows[1]).toMatch(second)
  })

  it('says that nothing begins only where nothing can', () => {
    const any = fc.record({
      pending: fc.boolean(),
      currentConfig: fc.constantFrom('a', 'b', null),
      desiredConfig: fc.constantFrom('a', 'b', null),
      updated: fc.integer({ min: 0, max: 3 }),
    })
    fc.assert(
      fc.property(
        any,
        fc.boolean(),
        fc.constantFrom('4.22.4', null),
        ({ updated, ...of }, clusterUpdating, desired) => {
          const counts = { machines: 3, updated, ready: 3, unavailable: 0, degraded: 0 }
          const now = { ...facts, desired, clusterUpdating }
          const nothing = resumeView(pool({ ...of, counts, paused: true }), now).follows[0]!.startsWith(
            'Nothing begins',
          )
          const can = of.pending || of.currentConfig === null || of.currentConfig !== of.desiredConfig || updated < 3
          expect(nothing).toBe(!can)
        },
      ),
    )
  })

  it('pausing says of old counts that they are old', () => {
    const now = facts
    expect(pauseView(pool({ pending: true, currentConfig: 'a' }), now).follows[0]).toContain('has not counted them yet')
    expect(pauseView(pool({ currentConfig: 'a' }), now).follows[0]).toContain('No node is left that has not begun')
    expect(pauseView(pool(), { ...now, wanted: '4.23.1' }).follows[0]).toBe(
      'All nodes have the configuration of 4.22.4; that of 4.23.1 waits until somebody resumes the pool.',
    )
  })
})
