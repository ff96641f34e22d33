import { afterAll, beforeAll } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { scalingSuite } from './suites/scaling'

useTestDatabase()

let cluster: SandboxTestCluster
beforeAll(async () => {
  cluster = await sandboxTestCluster()
})
afterAll(async () => cluster?.stop())

scalingSuite(() => cluster, { deadlineMs: 25_000, watchMs: 1_000, checksMs: 17_000 })
