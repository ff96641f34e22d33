import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { remediationSuite } from './suites/remediation'
import type { TestCluster } from './types'

useTestDatabase()

describe('health checks and updates in place, on the real managers', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await realTestCluster()
  })
  afterAll(async () => cluster?.stop())

  // Its controller looks at most every 15 s.
  remediationSuite(() => cluster, { deadlineMs: 240_000, watchMs: 2_000, updateMs: 45_000, checkSeconds: 5 })
})
