import { afterAll, beforeAll } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { planSuite } from './suites/plan'

useTestDatabase()

let cluster: SandboxTestCluster
beforeAll(async () => {
  cluster = await sandboxTestCluster()
})
afterAll(async () => cluster?.stop())

planSuite(() => cluster, { deadlineMs: 25_000, watchMs: 1_000 })
