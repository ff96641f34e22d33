import { expect, test } from 'vitest'
import type { LatchStateName } from '../latch/status'
import { surelyLatched } from './lifecycle'

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
