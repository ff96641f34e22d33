import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { PolicySpec } from '@/lib/domain/policies'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, until } from '@/testenv/governed-pools'
import { CLOSED } from '@/testenv/timed'
import type { Worker } from '../worker'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()
let at: GovernedPools
let worker: Worker | null
const says = (spec: PolicySpec) => savePolicy(as('admin'), { name: `p-${randomUUID()}`, spec })
const INFRA = 'tidal-7k2qd'

beforeAll(async () => {
  // Its Infrastructure is listed last: here, when Drydock may read it.
  at = await GovernedPools.start('tidal', 30, null, ['infrastructures'])
  worker = await follow()
  await installLatch(as('admin'), { clusterId: at.clusterId, governs: 'all' })
  await at.governed(true)
  // Whoever owns this cluster wants two people to look.
  await says({ select: { workloadClusters: [INFRA] }, approvals: 2 })
})
afterAll(async () => {
  await worker?.stop()
  await closeClients()
  await at?.stop()
})

test('a change that was found before the Infrastructure was heard is of the cluster of that name, too', async () => {
  const lax = await says({ select: { kinds: ['MachineConfigPool'] }, approvals: 0, ...CLOSED })
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', 'blocked')
  await at.render('rendered-worker-a')
  const { id } = await at.waits('rendered-worker-a')
  at.allow()
  await until('its group to be of the cluster of that name', () =>
    db().group.findFirst({ where: { clusterId: at.clusterId, name: 'worker', workloadCluster: INFRA } }),
  )
  const change = () => db().change.findUniqueOrThrow({ where: { id } })
  await until('its change to be of it, too', async () => (await change()).workloadCluster === INFRA)
  // No rule of the lax policy is left; the other one asks for two.
  await db().rolloutPolicy.deleteMany({ where: { id: lax.id } })
  await at.approve(await change())
  expect(await change()).toMatchObject({ state: 'waiting' })
  expect(await db().decision.count({ where: { changeId: id } })).toBe(0)
  expect(at.isHeld()).toBe(true)
})

test('a name that cannot be read any more stays: what waits goes by no policy of another name', async () => {
  const waits = await db().change.findFirstOrThrow({ where: { groupName: 'worker', state: 'waiting' } })
  await worker!.stop()
  at.forbid('infrastructures')
  await says({ select: { kinds: ['MachineConfigPool'] }, approvals: 0 })
  worker = await follow()
  const heard = { clusterId: at.clusterId, resource: 'infrastructures.config.openshift.io', state: 'backoff' }
  await until('that to be refused', () => db().stream.findFirst({ where: heard }))
  // Its pool is planned anew after that.
  await at.write('worker', { metadata: { labels: { looked: 'at' } } })
  await until('it to be looked at', async () => {
    const { resourceVersion } = await db().change.findUniqueOrThrow({ where: { id: waits.id } })
    return resourceVersion !== waits.resourceVersion
  })
  expect(await db().change.findUniqueOrThrow({ where: { id: waits.id } })).toMatchObject({
    ...{ state: 'waiting', workloadCluster: INFRA },
  })
  expect(await db().group.findFirst({ where: { name: 'worker' } })).toMatchObject({ workloadCluster: INFRA })
  expect(at.isHeld()).toBe(true)
})
