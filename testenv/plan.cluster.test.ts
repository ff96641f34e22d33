import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { planSuite } from './suites/plan'
import type { TestCluster } from './types'

useTestDatabase()

describe('plans and changes on the real managers', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await realTestCluster()
  })
  afterAll(async () => cluster?.stop())

  planSuite(() => cluster, { deadlineMs: 240_000, watchMs: 5_000 })
})
