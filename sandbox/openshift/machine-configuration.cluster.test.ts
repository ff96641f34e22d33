import { afterAll } from 'vitest'
import { realTestCluster } from '../../testenv/real'
import { machineConfigurationSuite } from './suite'

const cluster = realTestCluster()
afterAll(async () => (await cluster).stop())

machineConfigurationSuite(async () => (await cluster).admin)
