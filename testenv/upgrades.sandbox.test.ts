import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { upgradesSuite } from './suites/upgrades'
import type { TestCluster } from './types'

useTestDatabase()

describe.each([
  ['held by the latch', false],
  ['watched besides', true],
])('upgrades of managed Clusters, in the sandbox, %s', (_, watched) => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await sandboxTestCluster()
  })
  afterAll(async () => cluster?.stop())

  upgradesSuite(() => cluster, { deadlineMs: 90_000, watchMs: 1_000 }, watched)
})
