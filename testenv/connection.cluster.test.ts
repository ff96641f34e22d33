import { describe } from 'vitest'
import { realTestCluster } from './real'
import { connectionSuite } from './suites/connection'
import { transportSuite } from './suites/transport'
import { writesSuite } from './suites/parity'

describe('connecting to a real cluster', () => connectionSuite(realTestCluster))
describe('reading and writing on the real API server', () => transportSuite(realTestCluster))
describe('what the real managers accept and refuse', () => writesSuite(realTestCluster))
