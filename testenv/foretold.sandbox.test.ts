import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { foretoldSuite } from './suites/foretold'
import type { TestCluster } from './types'

useTestDatabase()

describe('what is foretold, in the sandbox', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await sandboxTestCluster()
  })
  afterAll(async () => cluster?.stop())

  foretoldSuite(() => cluster, { deadlineMs: 90_000, watchMs: 500 })
})
