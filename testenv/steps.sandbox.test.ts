import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { stepsSuite } from './suites/steps'

useTestDatabase()

describe.each([
  ['the gate is asked', true],
  ['nobody is asked', false],
])('%s', (_, inPlace) => {
  let cluster: SandboxTestCluster
  beforeAll(async () => {
    // Not so fast that a machine comes or goes between two looks, where nothing but these holds the next one.
    cluster = await sandboxTestCluster({ speed: inPlace ? 2 : 1, inPlace })
  })
  afterAll(async () => cluster?.stop())

  stepsSuite(() => cluster, { deadlineMs: 120_000, watchMs: 3_000 })
})
