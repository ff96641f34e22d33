import { afterAll, beforeAll } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { policiesSuite } from './suites/policies'

useTestDatabase()

let cluster: SandboxTestCluster
beforeAll(async () => {
  cluster = await sandboxTestCluster()
})
afterAll(async () => cluster?.stop())

// The updater takes as long as it says, also where everything else lives thirty times as fast.
policiesSuite(() => cluster, { deadlineMs: 60_000, watchMs: 4_000, updateMs: 8_000 })
