import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playLog } from '@/lib/domain/rollout/golden'
import { realTestCluster } from './real'
import { recordAll } from './recording/record-all'
import { SCENARIOS } from './recording/scenarios'
import type { RealTestCluster } from './test-cluster'

const REPLACED = 'Replaced, 3 replicas, maxSurge 3, maxUnavailable 1'
const IN_PLACE = 'Updated in place, 3 replicas, maxSurge 0, maxUnavailable 1'

describe('rollouts recorded from the real managers, now', () => {
  let cluster: RealTestCluster
  const logs = new Map<string, string | Error>()

  beforeAll(async () => {
    cluster = await realTestCluster()
    const scenarios = SCENARIOS.filter(({ title }) => [REPLACED, IN_PLACE].includes(title))
    await recordAll(cluster, scenarios, { many: 2, updaterMs: 1_500 }, ({ title }, log) => logs.set(title, log))
  }, 400_000)
  afterAll(async () => cluster?.stop())

  const decisions = (log: string, of: 'MD' | 'MS') => log.split(`\n[${of} controller] Iteration `).length - 1

  test.each([
    { title: REPLACED, went: /\((?:m\d+ deleted(?:, )?)+\)/, least: 2 },
    { title: IN_PLACE, went: /\(m\d+ moved\)/, least: 6 },
  ])('$title: every decision is what our rules decide', ({ title, went, least }) => {
    const log = logs.get(title)
    if (typeof log !== 'string') throw log ?? new Error('nothing was recorded')
    expect(playLog(log), log).toBeUndefined()
    expect(decisions(log, 'MD')).toBeGreaterThanOrEqual(least)
    expect(decisions(log, 'MS')).toBeGreaterThan(0)
    expect(log).toMatch(went)
  })
})
