import { afterAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import { systemCtx } from '@/lib/services/context'
import { installLatch } from '@/lib/services/latch/install-latch'
import type { LatchStatus } from '@/lib/services/latch/status'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { startLatchKeeper } from './latch-keeper'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
useTestDatabase()
afterAll(closeClients)

const POLICIES = { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'mutatingadmissionpolicies' }

// An API server that has just begun does not name every group: what its latch is for is not gone by that.
test('a look that misses Cluster API leaves its latch where it is, and says so', async () => {
  const sandbox = await sandboxTestCluster()
  const ctx = systemCtx('test')
  const names = async () => {
    const lists = [POLICIES, { ...POLICIES, plural: 'validatingadmissionpolicies' }]
    const all = await Promise.all(lists.map((resource) => sandbox.admin.list(resource, undefined)))
    return all.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)).sort()
  }
  const { clusterId } = await addCluster(ctx, { name: 'hub', kubeconfig: sandbox.adminKubeconfig })
  const read = () => db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const found = (await read()).discovery as { resources: object }
  const pools = { 'machineconfigpools.machineconfiguration.openshift.io': 'v1' }
  const hub = { ...found, openshift: { version: '4.20.1' }, resources: { ...found.resources, ...pools } }
  const discovered = (discovery: object) =>
    db().managementCluster.update({ where: { id: clusterId }, data: { discovery } })
  await discovered(hub)
  await installLatch(ctx, { clusterId, governs: 'all', pools: 'same-write' })
  const before = await names()
  expect(before).toEqual(expect.arrayContaining(['drydock-machinedeployments', 'drydock-machineconfigpools']))

  for (const [missing, words] of [
    [{ clusterApi: null }, 'Cluster API was not found on hub'],
    [{ openshift: null }, 'OpenShift’s pools were not found on hub'],
  ] as const) {
    await discovered({ ...hub, ...missing })
    const keeper = startLatchKeeper({ clusters: () => [clusterId], intervalMs: 200 })
    const status = async () => (await read()).latchStatus as unknown as LatchStatus
    await expect.poll(async () => (await status()).message, { timeout: 20_000 }).toContain(words)
    await keeper.stop()
    expect((await status()).state).toBe('unknown')
    expect(await names()).toEqual(before)
  }
  await sandbox.stop()
})
