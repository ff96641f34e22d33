import { afterAll, beforeAll } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { stepsSuite } from './suites/steps'

useTestDatabase()

let cluster: SandboxTestCluster
beforeAll(async () => {
  // Not so fast that a machine is gone between two looks.
  cluster = await sandboxTestCluster({ speed: 5 })
})
afterAll(async () => cluster?.stop())

stepsSuite(() => cluster, { deadlineMs: 60_000, watchMs: 3_000 })
