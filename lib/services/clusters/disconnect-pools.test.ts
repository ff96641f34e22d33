import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { as, failure } from '@/testenv/deciding'
import { GovernedPools, policy, until } from '@/testenv/governed-pools'
import { FROZEN } from '@/testenv/timed'
import { closeClients } from './connection'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'

useTestDatabase()
let at: GovernedPools
beforeAll(async () => void (at = await GovernedPools.start('tidal')))
afterAll(async () => {
  await closeClients()
  await at?.stop()
})
afterEach(async () => {
  await db().change.deleteMany()
  await db().rolloutPolicy.deleteMany()
})

const group = 'MachineConfigPool worker'
const plan = () => planDisconnect(as('admin'), { clusterId: at.clusterId })
const digest = () => rolloutDigest({ ...at.pool(), kind: 'MachineConfigPool' } as never)!

/** Let go by somebody's approval, and under way. */
async function goes(more: object = {}): Promise<string> {
  const { uid, resourceVersion } = at.pool().metadata
  const { id } = await db().change.create({
    data: {
      ...{ clusterId: at.clusterId, groupId: uid, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker' },
      ...{ workloadCluster: 'tidal', fingerprint: 'f', digest: digest(), state: 'running', summary: '', changeSet: {} },
      ...{ outlook: {}, heldBy: 'none', resourceVersion, machines: 3, ...more },
    },
  })
  await db().decision.create({
    data: { changeId: id, fingerprint: 'f', mode: 'in-place', state: 'accepted', actorId: 'a', actorName: 'Ada' },
  })
  return id
}

test('a pool that was let go goes on, whoever is connected', async () => {
  await goes()
  expect(await plan()).toMatchObject({ wouldMove: [], staysHeld: [] })
})

test.each<[string, object, string]>([
  ['goes machine by machine', { steps: 1 }, 'goes machine by machine'],
  ['is paused', { pausedAt: new Date(), pausedBy: 'Bo' }, 'is not held yet'],
  ['is taken back', { pausedAt: new Date(), pausedBy: 'Ada', pausedUntilHeld: true }, 'is not held yet'],
  ['stopped by itself', { stoppedAt: new Date(), stoppedWhy: 'w' }, 'is not held yet'],
])('a pool that %s, and is not held yet, is named, and nothing is disconnected', async (_, more, words) => {
  await goes(more)
  const why = expect.stringContaining(words) as string
  expect((await plan()).wouldMove).toEqual([{ group, digest: digest(), why }])
  const refused = await failure(disconnectCluster(as('admin'), { clusterId: at.clusterId, confirm: 'tidal' }))
  expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining(group) as string })
})

test('so is one in a freeze; also where Drydock may not read pools any more, by the record', async () => {
  await goes()
  await policy(FROZEN)
  const still = [{ group, digest: digest(), why: expect.stringContaining('is not held yet') as string }]
  expect((await plan()).wouldMove).toEqual(still)
  at.forbid('machineconfigpools')
  expect((await plan()).wouldMove).toEqual(still)
  at.allow()
})

test('a pool that waits, and whose hold was taken away, is to be held again; so is one that was changed since Drydock looked', async () => {
  const { uid: id } = at.pool().metadata
  const { clusterId } = at
  const of = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool', namespace: '' }
  await db().group.create({
    data: {
      ...{ ...of, id, clusterId, name: 'worker', workloadCluster: 'tidal', resourceVersion: '1' },
      ...{ createdAt: new Date(), governed: true, watched: 'v1beta2 other' },
    },
  })
  const still = [{ group, digest: digest(), why: expect.stringContaining('is not held yet') as string }]
  const watch = (watchSince: Date | null) =>
    db().managementCluster.update({ where: { id: clusterId }, data: { watchSince } })
  await goes({ state: 'waiting', heldBy: 'latch' })
  expect((await plan()).wouldMove).toEqual(still)
  // Where it cannot be read: it was held when it was last seen.
  at.forbid('machineconfigpools')
  expect((await plan()).wouldMove).toEqual([])
  at.allow()
  await db().change.deleteMany()
  expect((await plan()).wouldMove).toEqual([])

  await watch(new Date())
  expect((await plan()).wouldMove).toEqual(still)
  // Let go is this, or what it was to be before.
  await goes()
  expect((await plan()).wouldMove).toEqual([])
  await db().change.updateMany({ data: { digest: 'another' } })
  expect((await plan()).wouldMove).toEqual(still)
  await db().change.deleteMany()
  // Also with an image that is built for it, of which it says nothing itself.
  for (const watched of [`v1beta2 ${digest()}`, `v1beta2 ${digest()}+image`]) {
    await db().group.update({ where: { id }, data: { watched } })
    expect((await plan()).wouldMove).toEqual([])
  }
})

test('of a pool that was counted as done nothing is to be held before nodes of before are there again', async () => {
  await goes({ settling: true, countedDoneAt: new Date(Date.now() + 60_000) })
  expect((await plan()).wouldMove).toEqual([])
  await at.render('rendered-worker-next')
  const why = expect.stringContaining('is not held yet') as string
  await until('its nodes to be behind', async () => (await plan()).wouldMove.length > 0)
  expect((await plan()).wouldMove).toMatchObject([{ group, why }])
})
