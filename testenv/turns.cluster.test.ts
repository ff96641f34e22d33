import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { turnsSuite } from './suites/turns'
import type { TestCluster } from './types'

useTestDatabase()

describe('turns that a rollout may take, on the real managers', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await realTestCluster()
  })
  afterAll(async () => cluster?.stop())

  turnsSuite(() => cluster, { deadlineMs: 400_000, watchMs: 5_000 })
})
