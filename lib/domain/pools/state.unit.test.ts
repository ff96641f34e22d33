import { expect, it } from 'vitest'
import { poolState } from './state'
import type { Pool } from './types'

const release = { wanted: '4.22.4', desired: '4.22.4', clusterUpdating: false }

it.each<[string, number, Parameters<typeof poolState>[2], string]>([
  [
    'some have begun',
    0,
    { newest: 2, before: 0 },
    'Paused and behind: 4 of its 6 nodes stay as they are while a configuration of 4.22.4 waits; 2 that had begun go through to the end.',
  ],
  [
    'all but one have begun, or are through',
    4,
    { newest: 1, before: 0 },
    'Paused and behind: 1 of its 6 nodes stays as it is while a configuration of 4.22.4 waits; 1 that had begun goes through to the end.',
  ],
  [
    'the last one drains',
    5,
    { newest: 1, before: 0 },
    'Paused. No node is left that has not begun: 1 that had begun goes through to the end.',
  ],
  [
    'one is still at what came before',
    0,
    { newest: 0, before: 1 },
    'Paused and behind: 5 of its 6 nodes stay as they are while a configuration of 4.22.4 waits; 1 that had begun before finishes what came before.',
  ],
  [
    'no node can be read',
    2,
    null,
    'Paused and behind: nodes that have not begun stay as they are while a configuration of 4.22.4 waits.',
  ],
])('paused, counts nodes apart that go on: %s', (_, updated, begun, sentence) => {
  const counts = { machines: 6, updated, ready: 2, unavailable: 1, degraded: 0 }
  const paused: Pool = {
    ...{ name: 'worker', paused: true, maxUnavailable: 1, counts, currentConfig: 'a', desiredConfig: 'b' },
    ...{ conditions: [{ type: 'Updated', status: 'False' }], certificates: [], pending: false, required: false },
  }
  expect(poolState(paused, release, begun)).toMatchObject({ state: 'behind', sentence })
})

const rolling = (updated: number, more: Partial<Pool> = {}): Pool => ({
  ...{ name: 'worker', paused: false, maxUnavailable: 2, currentConfig: 'a', desiredConfig: 'b' },
  counts: { machines: 6, updated, ready: 4, unavailable: 2, degraded: 0 },
  ...{ conditions: [{ type: 'Updated', status: 'False' }], certificates: [], pending: false, required: false },
  ...more,
})

it.each<[string, Pool, Parameters<typeof poolState>[3], string, string]>([
  [
    'all have it, and one is not available since',
    rolling(6),
    { names: ['c'], through: true, underWay: 0 },
    'updating',
    'All 6 nodes have the new configuration of 4.22.4, and it is done when c is available again.',
  ],
  [
    'all have had it for long, and one was cordoned since',
    rolling(6, { currentConfig: 'b' }),
    { names: ['c'], through: true, underWay: 0 },
    'updated',
    'All 6 nodes are up to date with 4.22.4. Its operator says Updating until c is available again.',
  ],
  [
    'as many as may be at once are out of work, and nothing is done to them',
    rolling(2),
    { names: ['a', 'b'], through: false, underWay: 0 },
    'updating',
    '2 of 6 nodes have the new configuration of 4.22.4. None begins: a and b are out of work, and at most 2 may be at once.',
  ],
  [
    'one of them goes on',
    rolling(2),
    { names: ['a'], through: false, underWay: 1 },
    'updating',
    '2 of 6 nodes have the new configuration of 4.22.4, 2 are out of work. At most 2 at once.',
  ],
  [
    'an image is built first',
    rolling(2, { conditions: [{ type: 'Updating', status: 'True', message: 'Pool is waiting for OS image build' }] }),
    { names: ['a', 'b'], through: false, underWay: 0 },
    'updating',
    '2 of 6 nodes have the new configuration of 4.22.4, 2 are out of work. Pool is waiting for OS image build.',
  ],
])('names nodes that it waits for: %s', (_, of, out, state, sentence) => {
  expect(poolState(of, release, undefined, out)).toMatchObject({ state, sentence })
})

it.each<[string, Parameters<typeof poolState>[1]]>([
  ['no update', release],
  ['an update that is not rendered for it', { wanted: '4.22.5', desired: '4.22.4', clusterUpdating: true }],
  ['an update of which that cannot be told', { wanted: '4.22.5', desired: null, clusterUpdating: true }],
])('a paused pool without nodes keeps nobody behind: %s', (_, releases) => {
  const counts = { machines: 0, updated: 0, ready: 0, unavailable: 0, degraded: 0 }
  const pool = rolling(0, { name: 'gpu', paused: true, currentConfig: 'b', counts })
  expect(poolState(pool, releases)).toMatchObject({ state: 'paused', sentence: 'Paused. No node belongs to it.' })
})

it('speaks of two nodes as both', () => {
  const counts = { machines: 2, updated: 2, ready: 2, unavailable: 0, degraded: 0 }
  const pool: Pool = {
    ...{ name: 'infra', paused: true, maxUnavailable: 1, counts, currentConfig: 'b', desiredConfig: 'b' },
    ...{ conditions: [{ type: 'Updated', status: 'True' }], certificates: [], pending: false, required: false },
  }
  expect(poolState(pool, release, null).sentence).toBe('Paused. Both nodes are up to date; whatever comes next waits.')
})

it.each([
  ['Node gulf-a is reporting: "disk pressure"', '1 of 2 nodes cannot take up the configuration. gulf-a: disk pressure'],
  ['Node gulf-a is reporting: ""', '1 of 2 nodes cannot take up the configuration: gulf-a.'],
  ['somewhat else', '1 of 2 nodes cannot take up the configuration.'],
])('a degraded node that its operator names, with its words where there are any: %s', (message, words) => {
  const pool = {
    ...{ name: 'worker', paused: false, currentConfig: 'r1', desiredConfig: 'r2', pending: true, certificates: [] },
    ...{ counts: { machines: 2, updated: 1, ready: 1, unavailable: 1, degraded: 1 }, builds: null },
    conditions: [{ type: 'NodeDegraded', status: 'True', message }],
  } as never as Pool
  expect(poolState(pool, release).sentence).toBe(words)
})

it.each(['the drain of gulf-a failed', 'the drain of gulf-a failed.'])(
  'degraded and paused, what the operator says ends before what is said besides: %s',
  (message) => {
    const condition = { status: 'True' as const, reason: '', since: null }
    const pool = {
      ...{ name: 'worker', paused: true, currentConfig: 'r1', desiredConfig: 'r2', pending: true, certificates: [] },
      ...{ counts: { machines: 2, updated: 1, ready: 1, unavailable: 1, degraded: 1 }, builds: null },
      conditions: [{ ...condition, type: 'Degraded', message }],
    } as never as Pool
    const { state, sentence } = poolState(pool, release)
    expect(state).toBe('degraded')
    expect(sentence).toMatch(/gulf-a failed\. It is paused as well\.$/)
  },
)

it('says what its operator gets over by itself only where nothing worse is', () => {
  const why = 'ignoring controller config generated from a'
  const render = {
    type: 'RenderDegraded',
    status: 'True',
    message: `Failed to render configuration for pool infra: ${why}`,
  }
  const degraded = { type: 'Degraded', status: 'True', message: '' }
  const node = { type: 'NodeDegraded', status: 'True', message: 'Node infra-1 is reporting: "full"' }
  const counts = { machines: 6, updated: 2, ready: 2, unavailable: 1, degraded: 1 }
  const said = (conditions: Pool['conditions']) => poolState(rolling(0, { counts, conditions }), release)
  expect(said([degraded, render])).toMatchObject({
    state: 'degraded',
    sentence: `A newer configuration is not rendered yet: ${why}. That is so while the operator itself is being updated, and it goes on by itself. Where it lasts, the ClusterOperator machine-config says why.`,
  })
  expect(said([degraded, render, node])).toMatchObject({
    state: 'degraded',
    sentence: '1 of 6 nodes cannot take up the configuration. infra-1: full',
  })
  expect(said([degraded, { ...render, message: 'x' }, node]).sentence).toBe(
    'A newer configuration cannot be rendered: x.',
  )
})

it('an OS image that is lacking alone is not told as a configuration', () => {
  const out = { names: [], through: false, underWay: 0, image: true }
  const paused = rolling(2, { paused: true, desiredConfig: 'a' })
  expect(poolState(paused, release, { newest: 0, before: 0 }, out).sentence).toBe(
    'Paused and behind: 4 of 6 nodes stay as they are while another OS image waits.',
  )
  expect(poolState(rolling(2, { desiredConfig: 'a' }), release, undefined, out).sentence).toMatch(
    /^2 of 6 nodes have the other OS image, 2 are out of work\./,
  )
})
