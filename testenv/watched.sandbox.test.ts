import { describe, vi } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { watchedSuite } from './suites/watched'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

describe('watching and pausing on the sandbox', () =>
  watchedSuite(() => sandboxTestCluster({ kubernetes: 'v1.29.14', speed: 5 })))
