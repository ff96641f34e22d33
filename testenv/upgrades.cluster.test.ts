import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { upgradesSuite } from './suites/upgrades'
import type { TestCluster } from './types'

useTestDatabase()

describe('upgrades of managed Clusters, on the real managers', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await realTestCluster()
  })
  afterAll(async () => cluster?.stop())

  upgradesSuite(() => cluster, { deadlineMs: 240_000, watchMs: 8_000 })
})
