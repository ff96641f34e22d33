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

it('speaks of two nodes as both', () => {
  const counts = { machines: 2, updated: 2, ready: 2, unavailable: 0, degraded: 0 }
  const pool: Pool = {
    ...{ name: 'infra', paused: true, maxUnavailable: 1, counts, currentConfig: 'b', desiredConfig: 'b' },
    ...{ conditions: [{ type: 'Updated', status: 'True' }], certificates: [], pending: false, required: false },
  }
  expect(poolState(pool, release, null).sentence).toBe('Paused. Both nodes are up to date; whatever comes next waits.')
})
