import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { foretoldSuite } from './suites/foretold'
import type { TestCluster } from './types'

useTestDatabase()

describe('what is foretold, on the real managers', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await realTestCluster()
  })
  afterAll(async () => cluster?.stop())

  foretoldSuite(() => cluster, { deadlineMs: 400_000, watchMs: 5_000 })
})
