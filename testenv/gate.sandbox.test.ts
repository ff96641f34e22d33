import { afterAll, beforeAll } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { gateSuite } from './suites/gate'

useTestDatabase()

let cluster: SandboxTestCluster
beforeAll(async () => {
  cluster = await sandboxTestCluster()
})
afterAll(async () => cluster?.stop())

gateSuite(() => cluster, { deadlineMs: 25_000, watchMs: 1_000 })
