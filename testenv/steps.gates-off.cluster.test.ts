import { afterAll, beforeAll, describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { stepsSuite } from './suites/steps'
import type { TestCluster } from './types'

useTestDatabase()

describe('a control plane machine by machine, on real managers that ask nobody', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await realTestCluster()
  })
  afterAll(async () => cluster?.stop())

  stepsSuite(() => cluster, { deadlineMs: 240_000, watchMs: 8_000 })
})
