import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { stepsSuite } from './suites/steps'
import type { TestCluster } from './types'

useTestDatabase()

describe('nobody is asked', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    // As fast as in reality: here only looks hold the next one.
    cluster = await sandboxTestCluster({ speed: 1, inPlace: false })
  })
  afterAll(async () => cluster?.stop())

  stepsSuite(() => cluster, { deadlineMs: 120_000, watchMs: 3_000 })
})
