import { describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { watchSuite } from './suites/watch'

useTestDatabase()

describe('watching a real cluster', () => watchSuite(realTestCluster))
