import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { remediationSuite } from './suites/remediation'
import type { TestCluster } from './types'

useTestDatabase()

describe('health checks and updates in place, in the sandbox', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await sandboxTestCluster()
  })
  afterAll(async () => cluster?.stop())

  // Thirty times as fast: the check waits for six seconds, three times as long as until the next round that marks machines.
  remediationSuite(() => cluster, { deadlineMs: 90_000, watchMs: 500, updateMs: 20_000, checkSeconds: 180 })
})
