import { describe } from 'vitest'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { connectionSuite } from './suites/connection'
import { transportSuite } from './suites/transport'
import { writesSuite } from './suites/parity'

describe('connecting to the sandbox', () => connectionSuite(() => sandboxTestCluster()))
describe('reading and writing on the sandbox', () => transportSuite(() => sandboxTestCluster()))
describe('what the sandbox accepts and refuses', () => writesSuite(() => sandboxTestCluster()))
