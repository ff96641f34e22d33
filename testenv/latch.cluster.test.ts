import { describe } from 'vitest'
import { realTestCluster } from './real'
import { latchSuite } from './suites/latch'

describe('the latch on the real managers', () => latchSuite(realTestCluster))
