import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { policiesSuite } from './suites/policies'
import type { TestCluster } from './types'

useTestDatabase()

describe('what policies say, on the real managers', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await realTestCluster()
  })
  afterAll(async () => cluster?.stop())

  policiesSuite(() => cluster, { deadlineMs: 240_000, watchMs: 8_000, updateMs: 10_000 })
})
