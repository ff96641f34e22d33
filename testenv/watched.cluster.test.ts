import { describe } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { realTestCluster } from './real'
import { watchedSuite } from './suites/watched'

useTestDatabase()

describe('watching and pausing on the real managers', () => watchedSuite(realTestCluster))
