import { afterEach, beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { startSandbox } from '@/sandbox'
import type { RunningSandbox } from '@/sandbox/types'
import { as } from '@/testenv/deciding'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import { installLatch } from './install-latch'
import { previewLatch } from './preview-latch'
import { setGovernance } from './set-governance'

// The read role and that of the latch, and not the one that lets pools go.
useTestDatabase()
let sandbox: RunningSandbox
let clusterId: string
beforeEach(async () => {
  sandbox = await startSandbox({ flavour: 'openshift', name: 'tidal', speed: 30, write: false })
  clusterId = (await addCluster(as('admin'), { name: 'tidal', kubeconfig: sandbox.kubeconfig })).clusterId
  const [notBefore, notAfter] = [new Date(), new Date(Date.now() + 86_400_000)]
  await db().gateCertificate.create({
    data: { role: 'ca', certPem: 'x', sealedKey: Buffer.from('x'), keyId: 'k', hosts: [], notBefore, notAfter },
  })
})
afterEach(async () => {
  await closeClients()
  await sandbox.stop()
  await db().managementCluster.deleteMany()
})

/** Nothing listens there: it holds nothing. */
const asked = () => ({
  ...{ clusterId, governs: 'all' as const, pools: 'same-write' as const, webhookUrl: 'https://127.0.0.1:9/latch' },
})
const cluster = () => db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })

test('it is not installed, since nobody could let go here what it holds, and its preview says so', async () => {
  const { webhookUrl: _, ...looked } = asked()
  const barred = expect.stringMatching(/^Letting go what is latched takes the write role as well/) as string
  expect(await previewLatch(as('viewer'), looked)).toMatchObject({ barred })
  expect(await previewLatch(as('viewer'), { ...looked, pools: 'pausing' })).toMatchObject({
    ...{ form: 'watch', barred: null, pausesNone: true },
  })
  await expect(installLatch(as('admin'), asked())).rejects.toMatchObject({ code: 'conflict' })
  expect(await cluster()).toMatchObject({ latchForm: 'none' })
  await installLatch(as('admin'), { ...looked, pools: 'pausing' })
  await expect(setGovernance(as('admin'), looked)).rejects.toMatchObject({ code: 'conflict' })
})

test('nor does it hold anything from now on where it stands and nothing was governed; what it holds already stays so', async () => {
  const found = (await cluster()).discovery as { missingPermissions: object[] }
  const lacks = async (missingPermissions: object[]) => {
    await db().managementCluster.update({
      where: { id: clusterId },
      data: { discovery: { ...found, missingPermissions } },
    })
  }
  await lacks([])
  await installLatch(as('admin'), { ...asked(), governs: 'none' })
  await lacks(found.missingPermissions)
  const { webhookUrl: _, pools: __, ...all } = asked()
  await expect(setGovernance(as('admin'), all)).rejects.toMatchObject({ code: 'conflict' })
  expect(await db().policy.findFirst()).toMatchObject({ governs: 'none', pools: 'same-write' })
  await setGovernance(as('admin'), { ...all, governs: 'none', breakGlass: 'others' })
  await db().policy.updateMany({ data: { governs: 'object-label', labelKey: 'a', pools: 'same-write' } })
  await setGovernance(as('admin'), all)
  await setGovernance(as('admin'), { ...all, governs: 'none' })
})

test('where the trial write is refused, the latch is not said to be in place, but untried, and why', async () => {
  const pools = sandbox.store.list('machineconfigpools.machineconfiguration.openshift.io')
  const { uid } = pools.find(({ metadata }) => metadata.name === 'worker')!.metadata
  await db().group.create({
    data: {
      ...{ id: uid!, clusterId, kind: 'MachineConfigPool', apiVersion: 'machineconfiguration.openshift.io/v1' },
      ...{ namespace: '', name: 'worker', workloadCluster: 'tidal', resourceVersion: '1', createdAt: new Date() },
    },
  })
  // Taken away since Drydock asked for what it may do.
  const discovery = { ...((await cluster()).discovery as object), missingPermissions: [] } as Prisma.InputJsonObject
  await db().managementCluster.update({ where: { id: clusterId }, data: { discovery } })
  const { status } = await installLatch(as('admin'), asked())
  expect(status).toMatchObject({ state: 'untried', proved: null })
  expect(status.message).toMatch(
    /^The latch stands there; whether it holds could not be tried: machineconfigpools.* is forbidden/,
  )
  // All that was asked for is there.
  const event = await db().auditEvent.findFirstOrThrow({ where: { action: 'latch.installed', clusterId } })
  expect(event.result).toBe('ok')
})

test('with nothing governed there yet there is nothing to try it on', async () => {
  const discovery = { ...((await cluster()).discovery as object), missingPermissions: [] } as Prisma.InputJsonObject
  await db().managementCluster.update({ where: { id: clusterId }, data: { discovery } })
  expect((await installLatch(as('admin'), asked())).status).toMatchObject({ state: 'intact', proved: null })
})
