import { describe, vi } from 'vitest'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { latchSuite } from './suites/latch'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })

describe('the latch on the sandbox', () => latchSuite(() => sandboxTestCluster()))
