import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { gateSuite } from './suites/gate'
import type { TestCluster } from './types'

useTestDatabase()

describe('changes and decisions on the real managers', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await realTestCluster()
  })
  afterAll(async () => cluster?.stop())

  gateSuite(() => cluster, { deadlineMs: 240_000, watchMs: 5_000 })
})
