import { describe } from 'vitest'
import { realTestCluster } from './real'
import { latchSuite } from './suites/latch'

describe('the latch with every alpha feature for in-place updates off', () =>
  latchSuite(realTestCluster, { core: true }))
