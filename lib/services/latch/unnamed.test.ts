import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { HELD, PAUSED, POOL_PAUSED } from '@/lib/domain/latch/names'
import { plainCluster } from '@/testenv/clusters/plain'
import { as, failure } from '@/testenv/deciding'
import { GovernedPools, SOMEBODY } from '@/testenv/governed-pools'
import { lookedAt, unnamed } from '@/testenv/unnamed'
import { startGate, type Gate } from '@/worker/gate'
import { closeClients, kubeClientFor } from '../clusters/connection'
import { checkLatch } from './check-latch'
import { installLatch } from './install-latch'
import { planRemoveLatch } from './plan-remove-latch'
import { removeLatch } from './remove-latch'
import { repairLatch } from './repair-latch'

// A management cluster of Cluster API that is an OpenShift cluster itself, of which a look may miss either.
useTestDatabase()
const admin = as('admin')
const WEBHOOKS = 'mutatingwebhookconfigurations.admissionregistration.k8s.io'
const [OF_POOLS, GROUP, POOL] = [/machineconfig/, 'MachineDeployment default/md', 'MachineConfigPool worker']
let at: GovernedPools
let gate: Gate
let known: Capabilities
let undo = () => {}

beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  const roles = ['cluster-api', 'latch', 'gate', 'openshift', 'openshift-write', 'openshift-latch'] as const
  at = await GovernedPools.start('mole', 60, [...roles])
  const { clusterId } = at
  await installLatch(admin, { clusterId, governs: 'all', webhookUrl: `${gate.url}/latch` })
  const workload = { namespace: 'default', name: 'c', version: 'v1.34.0' }
  const md = plainCluster(workload).find(({ kind }) => kind === 'MachineDeployment')!
  const metadata = { name: 'md', namespace: 'default', annotations: { [HELD]: 'x', [PAUSED]: 'drydock' } }
  await at.server.store.create('machinedeployments.cluster.x-k8s.io', { ...md, metadata }, SOMEBODY)
  const annotations = { [HELD]: 'x', [POOL_PAUSED]: 'drydock' }
  await at.write('worker', { metadata: { annotations }, spec: { paused: true } })
  known = (await row()).discovery as unknown as Capabilities
})
afterEach(async () => {
  undo()
  await lookedAt(at.clusterId, known, /^$/)
})
afterAll(async () => {
  await gate?.stop()
  await closeClients()
  await at?.stop()
})

const row = () => db().managementCluster.findUniqueOrThrow({ where: { id: at.clusterId } })
const missClusterApi = () => lookedAt(at.clusterId, known, /cluster\.x-k8s\.io$/, { clusterApi: null })
const missPools = () => lookedAt(at.clusterId, known, OF_POOLS)
const webhooks = () => at.server.store.list(WEBHOOKS).map(({ metadata }) => metadata.name)

test.each([
  ['Cluster API', missClusterApi, undefined, GROUP],
  ['pools', missPools, /^machineconfiguration/, POOL],
])('removing names what is held, whatever the last look missed: %s', async (_, miss, groups, missed) => {
  const { clusterId } = at
  await miss()
  expect((await planRemoveLatch(admin, { clusterId })).held).toEqual([POOL, GROUP].sort())
  const others = [GROUP, POOL].filter((one) => one !== missed)
  expect(await failure(removeLatch(admin, { clusterId, held: others }))).toMatchObject({ code: 'conflict' })
  undo = unnamed(await kubeClientFor(clusterId), 'there', groups)
  const refused = { code: 'unavailable', message: expect.stringContaining('does not name them now') as string }
  expect(await failure(planRemoveLatch(admin, { clusterId }))).toMatchObject(refused)
  expect(await failure(removeLatch(admin, { clusterId, held: others }))).toMatchObject(refused)
  expect(webhooks()).toContain('drydock-machinedeployments')
  expect((await row()).latchForm).toBe('webhook')
})

test('a look that misses pools offers nobody to end the watch that holds them, and it is not ended', async () => {
  const { clusterId } = at
  await missPools()
  expect(await checkLatch(admin, { clusterId })).toMatchObject({ state: 'intact', watchesBeside: false })
  // Of all groups it may be ended, but not while pools are there.
  const where = { id: clusterId }
  await db().managementCluster.update({ where, data: { watchPoolsOnly: false } })
  expect(await checkLatch(admin, { clusterId })).toMatchObject({ state: 'intact', watchesBeside: true })
  const ended = () => failure(repairLatch(admin, { clusterId }))
  const refused = { code: 'unavailable', message: expect.stringContaining('What held before stays') as string }
  expect(await ended()).toMatchObject(refused)
  undo = unnamed(await kubeClientFor(clusterId), 'there', /^machineconfiguration/)
  expect(await ended()).toMatchObject({ code: 'unavailable' })
  expect((await row()).watchSince).not.toBeNull()
  // Known from before, it is not even offered.
  const common = { clusterId, namespace: '', workloadCluster: '', createdAt: new Date(), resourceVersion: '1' }
  const { uid, name } = at.pool().metadata
  const apiVersion = 'machineconfiguration.openshift.io/v1'
  await db().group.create({ data: { ...common, id: uid!, kind: 'MachineConfigPool', apiVersion, name } })
  expect(await checkLatch(admin, { clusterId })).toMatchObject({ watchesBeside: false })
  await db().managementCluster.update({ where, data: { watchPoolsOnly: true } })
})

test('taken out for good, Cluster API keeps nobody from removing its latch', async () => {
  const { clusterId } = at
  await missClusterApi()
  undo = unnamed(await kubeClientFor(clusterId), 'gone')
  expect((await planRemoveLatch(admin, { clusterId })).held).toEqual([POOL])
  await removeLatch(admin, { clusterId, held: [POOL] })
  expect(webhooks()).toEqual([])
})
