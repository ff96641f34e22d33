import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { scalingSuite } from './suites/scaling'
import type { TestCluster } from './types'

useTestDatabase()

describe('scaling while held, on the real managers', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await realTestCluster()
  })
  afterAll(async () => cluster?.stop())

  scalingSuite(() => cluster, { deadlineMs: 240_000, watchMs: 5_000, checksMs: 20_000 })
})
