import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, failure } from '@/testenv/deciding'
import { lifted, row } from '@/testenv/timed'
import { waved, wavedCluster } from '@/testenv/waved'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'

useTestDatabase()
const { at } = wavedCluster()
const admin = as('admin')

const cluster = () => db().managementCluster.findUniqueOrThrow({ where: { id: at.clusterId } })
const disconnect = () => disconnectCluster(admin, { clusterId: at.clusterId, confirm: 'm' })
const sentences = async () => (await planDisconnect(admin, { clusterId: at.clusterId })).sentences.join(' ')
/** Written by something else than Drydock. */
const unreadable = () => db().rolloutPolicy.create({ data: { name: 'odd', spec: { approvals: 'some' } } })

test('nobody knows in which waves it is where a policy cannot be read: then it is not disconnected; where none has waves, that is all the same', async () => {
  const held = await at.held()
  await waved([held], [{ name: 'canary' }])
  await unreadable()
  const before = await cluster()
  const refused = { message: expect.stringContaining('The policy odd cannot be read') as string }
  expect(await failure(planDisconnect(admin, { clusterId: at.clusterId }))).toMatchObject(refused)
  expect(await failure(disconnect())).toMatchObject(refused)
  expect(await cluster()).toEqual(before)
  expect(await db().group.count({ where: { clusterId: at.clusterId } })).toBe(1)
  await lifted()
  await unreadable()
  expect(await sentences()).not.toContain('In a wave')
})

test('not known so at its end, it stays connected, and the record says why', async () => {
  const held = await at.held()
  await waved([held], [{ name: 'canary' }])
  // Written just as all that it asks the cluster is through.
  await db().$executeRawUnsafe(`CREATE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO rollout_policy (id, name, spec) VALUES (gen_random_uuid(), 'odd', '{"approvals": "some"}'); RETURN OLD; END $$`)
  await db().$executeRaw`CREATE TRIGGER odd BEFORE DELETE ON cluster_credential FOR EACH ROW EXECUTE FUNCTION odd()`
  try {
    expect(await failure(disconnect())).toMatchObject({
      message: 'The policy odd cannot be read, so nobody knows what it asks for.',
    })
  } finally {
    await db().$executeRaw`DROP FUNCTION odd CASCADE`
  }
  expect((await cluster()).state).not.toBe('disconnected')
  const last = await db().auditEvent.findFirstOrThrow({ where: { targetId: at.clusterId }, orderBy: { id: 'desc' } })
  expect(last).toMatchObject({
    ...{ action: 'cluster.disconnected', result: 'failed' },
    answer: expect.stringContaining('The policy odd cannot be read') as string,
  })
})

test('what nobody has placed is named by the wave in which it is now, and left in that', async () => {
  const held = await at.held()
  const { policyId } = await waved([held], [{ name: 'canary' }])
  expect(await row(held)).toMatchObject({ wave: null })
  expect(await sentences()).toContain(`In a wave, and not through: ${held.namespace}/${held.name} (canary). What waits`)
  await disconnect()
  expect(await row(held)).toMatchObject({ state: 'superseded', wave: { policyId, name: 'canary' } })
})
