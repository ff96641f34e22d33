import { describe, vi } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { watchSuite } from './suites/watch'

vi.setConfig({ testTimeout: 60_000 })
useTestDatabase()

describe('watching the sandbox', () => watchSuite(() => sandboxTestCluster()))
