import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { stepsSuite } from './suites/steps'
import type { TestCluster } from './types'

useTestDatabase()

describe('the gate is asked', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    // Not so fast that a machine comes or goes between two looks, where nothing but these holds the next one.
    cluster = await sandboxTestCluster({ speed: 2 })
  })
  afterAll(async () => cluster?.stop())

  stepsSuite(() => cluster, { deadlineMs: 120_000, watchMs: 3_000 })
})
