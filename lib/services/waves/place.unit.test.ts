import { expect, test } from 'vitest'
import type { WaveState } from '@/lib/domain/waves'
import { placed, samePlace } from './place'

const run = (stopped: { by: string; words: string } | null = null) => ({ policy: { id: 'p', version: 1 }, stopped })
const wave = (state: WaveState['state']): WaveState => ({
  ...{ name: 'rest', state, why: 'canary is not through', groups: 1, wanting: 1, through: 0, there: 0 },
})
const at = (state: WaveState['state'], moved: boolean, stopped?: { by: string; words: string }) =>
  placed(run(stopped), [wave(state)], 0, { moved })

test('what has begun goes on where its wave waits, and is known not to be in one that is open', () => {
  expect(at('waits', false)).toMatchObject({ state: 'waits', why: 'canary is not through' })
  expect(at('waits', true)).toMatchObject({ state: 'open', why: null, notYet: true })
  expect(at('open', true)).not.toHaveProperty('notYet')
  expect(at('waits', true, { by: 'Op', words: 'stopped' })).toMatchObject({ state: 'stopped', why: 'stopped' })
  expect(samePlace(at('waits', true), at('waits', true))).toBe(true)
  // Its wave opened meanwhile.
  expect(samePlace(at('waits', true), at('open', true))).toBe(false)
})
