import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { isImminent, isNear, isTooLateToRead, untilLooked } from './dates'

const now = Date.parse('2026-06-01T12:00:00Z')
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }))
afterEach(() => void vi.useRealTimers())
const group = (seconds: number) =>
  ({ spec: { rollout: { after: new Date(now + seconds * 1_000).toISOString() } } }) as unknown as KubeObject

test.each([
  ['in weeks: a timer cannot wait so long', 50 * 86_400, 3_600],
  ['in half an hour: ten minutes before', 1_800, 1_200],
  ['in five minutes: each minute', 300, 60],
  ['in little more than a minute: a minute before', 61, 1],
  ['in less than a minute: when it comes', 20, 20],
])('a date that comes %s', (_, seconds, looked) => {
  expect(untilLooked(group(seconds))).toBe(looked * 1_000)
})

test('one that has come, or that nobody can read, is not waited for', () => {
  for (const one of [group(0), group(-5), { spec: { rollout: { after: 'soon' } } }, {}])
    expect(untilLooked(one as unknown as KubeObject)).toBeNull()
})

test('it is near from ten minutes before it on, imminent from a minute on, and too late to read in its last half', () => {
  expect([601, 600, 0, -86_400].map((seconds) => isNear(group(seconds)))).toEqual([false, true, true, true])
  expect([61, 60, 0, -5].map((seconds) => isImminent(group(seconds)))).toEqual([false, true, true, true])
  expect([31, 30, 0, -5].map((seconds) => isTooLateToRead(group(seconds)))).toEqual([false, true, true, true])
  expect(isNear({} as unknown as KubeObject)).toBe(false)
})
