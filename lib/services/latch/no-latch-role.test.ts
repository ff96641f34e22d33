import { afterEach, beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { startSandbox } from '@/sandbox'
import type { RunningSandbox } from '@/sandbox/types'
import { as } from '@/testenv/deciding'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import { listClusters } from '../clusters/list-clusters'
import { checkLatch } from './check-latch'
import { installLatch } from './install-latch'
import { planRemoveLatch } from './plan-remove-latch'
import { previewLatch } from './preview-latch'
import { removeLatch } from './remove-latch'
import { setGovernance } from './set-governance'

// The roles that the docs name for holding by pausing, and not the one for what latches.
useTestDatabase()
let sandbox: RunningSandbox
let clusterId: string
beforeEach(async () => {
  sandbox = await startSandbox({ flavour: 'openshift', name: 'tidal', speed: 30, latch: false })
  clusterId = (await addCluster(as('admin'), { name: 'tidal', kubeconfig: sandbox.kubeconfig })).clusterId
})
afterEach(async () => {
  await closeClients()
  await sandbox.stop()
  await db().managementCluster.deleteMany()
})

const UNSEEN = 'Whether a latch of before still stands there is not known: Drydock has no right to look.'
const events = async () =>
  (await db().auditEvent.findMany({ where: { action: { startsWith: 'latch.' } }, orderBy: { id: 'asc' } })).map(
    ({ action, result }) => `${action} ${result}`,
  )

test('what is held by pausing is ended with the roles that it takes', async () => {
  const { status } = await installLatch(as('admin'), { clusterId, governs: 'all', pools: 'pausing' })
  expect(status).toMatchObject({ watch: true })
  expect(await planRemoveLatch(as('admin'), { clusterId })).toMatchObject({ held: [], calls: [] })
  expect(await removeLatch(as('admin'), { clusterId, held: [] })).toEqual({ answers: [], held: [] })
  expect((await events()).slice(-2)).toEqual(['latch.remove ok', 'latch.removed ok'])
  const row = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  expect(row).toMatchObject({ latchForm: 'none', watchSince: null, latchStatus: { state: 'none' } })
})

test('latching pools is said to need its role, before it is refused', async () => {
  const [notBefore, notAfter] = [new Date(), new Date(Date.now() + 86_400_000)]
  await db().gateCertificate.create({
    data: { role: 'ca', certPem: 'x', sealedKey: Buffer.from('x'), keyId: 'k', hosts: [], notBefore, notAfter },
  })
  const { barred } = await previewLatch(as('viewer'), { clusterId, governs: 'all', pools: 'same-write' })
  expect(barred).toMatch(/^That latch needs a role of its own .*, which is not granted: .*repair and remove the latch/)
})

test('once that is chosen its role is missing in the list of clusters, before Drydock asks anew what it may do', async () => {
  const missing = async () => {
    const { missingPermissions } = (await listClusters(as('viewer')))[0]!.discovery!
    return missingPermissions.some(({ part }) => part === 'openshift-latch')
  }
  expect(await missing()).toBe(false)
  await db().policy.updateMany({ where: { clusterId }, data: { governs: 'all', pools: 'same-write' } })
  expect(await missing()).toBe(true)
})

test('before anything is chosen, and once it is, nothing is said to be refused', async () => {
  expect(await checkLatch(as('admin'), { clusterId })).toMatchObject({
    state: 'none',
    message: expect.stringContaining(UNSEEN),
  })
  await setGovernance(as('admin'), { clusterId, governs: 'all' })
  expect(await checkLatch(as('admin'), { clusterId })).toMatchObject({
    ...{ state: 'unlatched', message: expect.stringContaining(UNSEEN) },
  })
})

test('what latches is not taken for gone by whoever may not look', async () => {
  await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'webhook' } })
  await expect(planRemoveLatch(as('admin'), { clusterId })).rejects.toMatchObject({ code: 'refused' })
  await expect(checkLatch(as('admin'), { clusterId })).rejects.toMatchObject({ code: 'refused' })
})

test('nor is it said to be removed, however often that is asked for', async () => {
  await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'webhook' } })
  const before = await events()
  for (let asked = 0; asked < 2; asked++)
    await expect(removeLatch(as('admin'), { clusterId, held: [] })).rejects.toMatchObject({ code: 'refused' })
  await expect(planRemoveLatch(as('admin'), { clusterId })).rejects.toMatchObject({ code: 'refused' })
  expect(await events()).toEqual(before)
  const row = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  expect(row).toMatchObject({ latchForm: 'webhook' })
})
