import { expect, test } from 'vitest'
import type { LatchStateName } from '../latch/status'
import { notLatchedWords, surelyLatched } from './lifecycle'

const parts = (clusterApi: LatchStateName, pools: LatchStateName) => ({
  parts: { clusterApi: { state: clusterApi, message: '' }, pools: { state: pools, message: '' } },
})

test.each<[object | null, boolean]>([
  [null, false],
  [{ state: 'intact' }, true],
  [{ state: 'unreachable' }, true],
  [{ state: 'missing' }, false],
  [{ state: 'ineffective' }, false],
  [{ state: 'untried' }, false],
  [{ state: 'missing', ...parts('intact', 'missing') }, true],
  [{ state: 'not-watching', ...parts('intact', 'not-watching') }, true],
  [{ state: 'missing', ...parts('missing', 'intact') }, false],
  [{ state: 'unreachable', ...parts('ineffective', 'unreachable') }, false],
  [{ state: 'unknown', ...parts('intact', 'intact') }, false],
])('whether groups of Cluster API are surely latched goes by their part of it: %j', (status, latched) => {
  expect(surelyLatched(status)).toBe(latched)
})

test('one that stands there and could not be tried is not said to be in pieces', () => {
  for (const status of [{ state: 'untried' }, { state: 'missing', ...parts('untried', 'missing') }])
    expect(notLatchedWords(status)).toBe('whether the latch would hold it could not be tried')
  expect(notLatchedWords({ state: 'untried', ...parts('changed', 'untried') })).toContain('not whole')
  expect(notLatchedWords({ state: 'untried', ...parts('intact', 'untried') })).toBeNull()
})
