import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { follow, GovernedPools, SOMEBODY, until } from '@/testenv/governed-pools'
import type { Worker } from '../worker'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

const CONFIGURATION = 'machineconfigurations.operator.openshift.io'
let at: GovernedPools
let worker: Worker

beforeAll(async () => {
  at = await GovernedPools.start('reef')
  worker = await follow()
  const workers = { clusterId: at.clusterId, pool: 'worker' }
  await until('its nodes', async () => (await db().configNode.count({ where: workers })) === at.nodes().length)
})

afterAll(async () => {
  await worker?.stop()
  await at?.stop()
})

test('what the node disruption policies take up without drain and reboot is told so, and done so', async () => {
  const files = [{ path: '/etc/motd', actions: [{ type: 'None' }] }]
  await at.server.store.merge(CONFIGURATION, 'cluster', { spec: { nodeDisruptionPolicy: { files } } }, SOMEBODY)
  await until('the operator to say so', async () => {
    const { status } = at.server.store.get(CONFIGURATION, 'cluster')!
    return JSON.stringify(status?.nodeDisruptionPolicyStatus ?? '').includes('/etc/motd')
  })
  // Nothing that is drained would ever be through.
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', 'blocked')
  await at.render('rendered-worker-quiet')
  const change = await at.change('done')
  expect(at.told('rendered-worker-quiet')).toHaveLength(at.nodes().length)
  expect(JSON.stringify(change.outlook)).toContain('takes this up without drain and reboot')
})
