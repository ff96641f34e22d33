import { expect, it } from 'vitest'
import type { PoolDetail } from '@/lib/services/pools/get-pool'
import { changeWords, stateWords } from './words'

const pool = (state: string, more: Partial<PoolDetail['hold']> = {}, paused = true) => ({
  paused,
  hold: { strength: '', held: false, kept: false, governed: true, change: { id: 'c', state, summary: 's' }, ...more },
})

it('says what becomes of the configuration of a pool', () => {
  expect(changeWords(pool('waiting'))).toBe('A configuration waits for a decision')
  expect(changeWords(pool('waiting', { governed: false }))).toContain('nobody is asked')
  expect(changeWords(pool('rejected'))).toBe('Its configuration was rejected')
  expect(changeWords(pool('running'))).toContain('before the pool is resumed')
  expect(changeWords(pool('running', {}, false))).toBe('A configuration is under way')
})

it('tells what Drydock holds from what a person paused', () => {
  expect(stateWords('behind', true)).toBe('held, waits for approval')
  expect(stateWords('behind', false)).toBe('paused, behind')
  expect(stateWords('degraded', true)).toBe('degraded')
})
