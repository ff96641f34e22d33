import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, failure, latchedCluster } from '@/testenv/deciding'
import { kubeClientFor } from './connection'
import { disconnectCluster } from './disconnect-cluster'
import { recoverDisconnects } from './recover-disconnect'

useTestDatabase()
const at = latchedCluster()
const clusterIs = (state: string) => db().managementCluster.update({ where: { id: at.clusterId }, data: { state } })
const stateOf = async (id: string) => (await db().managementCluster.findUniqueOrThrow({ where: { id } })).state
const lastOf = (targetId: string) => db().auditEvent.findFirstOrThrow({ where: { targetId }, orderBy: { id: 'desc' } })

/** Cut short, too, and looked at before the other one; its credentials were sealed with another key. */
let sealed: string
beforeEach(async () => {
  await db().managementCluster.deleteMany({ where: { name: 'a' } })
  const data = { name: 'a', server: 'https://127.0.0.1:1', state: 'disconnected' }
  sealed = (await db().managementCluster.create({ data })).id
  await db().clusterCredential.create({ data: { clusterId: sealed, sealed: Buffer.from('x'), keyId: 'another' } })
  await clusterIs('disconnected')
})

test('one whose credentials do not open is connected again, and so are those behind it', async () => {
  expect(await recoverDisconnects(0)).toEqual(['a', 'm'])
  expect((await lastOf(sealed)).answer).toContain('whether the registration is guarded still is not known')
})

test('one that cannot be connected again keeps none behind it from that, and is tried again', async () => {
  await db().$executeRaw`ALTER TABLE audit_event ADD CONSTRAINT unwritable CHECK (target_name <> 'a') NOT VALID`
  try {
    expect(await recoverDisconnects(0)).toEqual(['m'])
  } finally {
    await db().$executeRaw`ALTER TABLE audit_event DROP CONSTRAINT unwritable`
  }
  expect(await stateOf(sealed)).toBe('disconnected')
  expect(await recoverDisconnects(0)).toEqual(['a'])
})

test('a disconnect that fails, and after which the credentials do not open, is undone and says why it failed', async () => {
  await db().managementCluster.deleteMany({ where: { name: 'a' } })
  await clusterIs('connected')
  const where = { clusterId: at.clusterId }
  const { keyId } = await db().clusterCredential.findUniqueOrThrow({ where })
  const client = await kubeClientFor(at.clusterId)
  const { get } = client
  client.get = async (...given) => {
    if ((await stateOf(at.clusterId)) !== 'disconnected') return get(...given)
    await db().clusterCredential.update({ where, data: { keyId: 'another' } })
    throw new Error('out of memory')
  }
  const failed = await failure(disconnectCluster(as('admin'), { clusterId: at.clusterId, confirm: 'm' }))
  await db().clusterCredential.update({ where, data: { keyId } })
  expect(failed.message).toBe('out of memory')
  expect(await stateOf(at.clusterId)).toBe('connected')
  expect((await lastOf(at.clusterId)).answer).toContain('Drydock itself failed')
})
