import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { waitingCounts } from '@/lib/db/queries/shell'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { person } from '@/testenv/timed'
import { getUpdate, listUpdates } from '../fleet/list-updates'
import { needsYou } from '../fleet/needs-you'
import { savePolicy } from '../policies/save-policy'
import { membership } from '../waves/membership'
import { approveChange } from './approve-change'
import { previewSeveral } from './preview-several'
import { rejectChange } from './reject-change'

useTestDatabase()

const POOL = 'MachineConfigPool'
const PRINT = 'f'.repeat(64)
const [ada, cy] = [person('ada'), person('cy', 'admin')]
const outcome = { counts: { 'in-place': 2 }, created: 0, deleted: 0, headline: 'gpu would take it up.' }

/** Somebody paused it themselves, and a configuration waits. */
async function paused({ kind = POOL, governed = false, heldBy = 'person' as 'person' | 'latch', more = {} } = {}) {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: '' } })
  const [id, name] = [randomUUID(), 'gpu']
  await db().group.create({
    data: {
      ...{ id, clusterId, name, kind, apiVersion: 'machineconfiguration.openshift.io/v1', namespace: '', governed },
      ...{
        workloadCluster: 'sand',
        createdAt: new Date(),
        resourceVersion: '1',
        paused: true,
        pausedSeenAt: new Date(),
      },
      ...{ ownPause: { annotation: false, spec: true, guarded: false }, held: heldBy === 'latch' ? 'waiting' : null },
    },
  })
  if (kind === POOL)
    await db().configPool.create({ data: { id, clusterId, name, resourceVersion: '1', paused: true, machines: 2 } })
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: kind, namespace: '', groupName: name, workloadCluster: 'sand', heldBy },
      ...{ fingerprint: PRINT, summary: '4 files', resourceVersion: '1', machines: 2, state: 'waiting' },
      ...{ changeSet: { pairs: [], fields: [] }, outlook: { only: 'in-place', inPlace: outcome, replace: outcome } },
      ...more,
    },
  })
  return change
}

const needs = async () => (await needsYou(ada, {})).filter(({ kind }) => kind !== 'watch')

beforeEach(async () => {
  await db().managementCluster.deleteMany()
  await db().rolloutPolicy.deleteMany()
  const waves = [{ name: 'canary', select: { workloadClusters: ['tidal'] } }]
  await savePolicy(cy, { name: 'waved', spec: { select: { kinds: [POOL] }, approvals: 2, waves } })
})

test('what a pool waits for that nobody governs asks nobody, and is in no wave', async () => {
  const { id } = await paused()
  const { standings, unaskable } = await listUpdates(ada, { tab: 'waiting' })
  expect(unaskable).toEqual([id])
  expect(standings[id]).toMatchObject({ due: false, forbidden: null, timing: { open: true, wave: null, besides: [] } })
  const { policy, governance } = await getUpdate(ada, id)
  expect(policy).toMatchObject({ mayApprove: null, listed: { timing: { open: true, wave: null } } })
  expect(governance?.governed).toBe(false)
  expect(await needs()).toEqual([])
  expect((await waitingCounts()).changes).toBe(0)
  expect((await membership(db())).waved.flatMap(({ groups }) => groups)).toEqual([])
})

test('the same pool governed and held asks, and waits in its wave', async () => {
  const { id } = await paused({ governed: true, heldBy: 'latch' })
  const { standings, unaskable } = await listUpdates(ada, { tab: 'waiting' })
  expect(unaskable).toEqual([])
  expect(standings[id]).toMatchObject({ needed: 2, timing: { open: false, why: 'wave' } })
  expect((await getUpdate(ada, id)).policy).toMatchObject({ listed: { timing: { open: false } } })
  expect(await needs()).toMatchObject([{ kind: 'approval', id }])
  expect((await waitingCounts()).changes).toBe(1)
  expect((await membership(db())).waved.flatMap(({ groups }) => groups)).toMatchObject([{ wave: 1 }])
})

test('where no node lacks it, it is held for whichever comes, and asks nobody before one does', async () => {
  const none = { ...outcome, counts: { 'up-to-date': 2 } }
  const { id } = await paused({ governed: true, heldBy: 'latch', more: { outlook: { inPlace: none, replace: none } } })
  expect(await needs()).toEqual([])
  expect((await waitingCounts()).changes).toBe(0)
  await db().change.update({ where: { id }, data: { outlook: { inPlace: outcome, replace: outcome } } })
  expect(await needs()).toMatchObject([{ kind: 'approval', id }])
  expect((await waitingCounts()).changes).toBe(1)
})

test('held since before nobody governs it, it asks and waits as it did', async () => {
  const { id } = await paused({ heldBy: 'latch' })
  expect(await needs()).toMatchObject([{ kind: 'approval', id }])
  expect((await membership(db())).waved.flatMap(({ groups }) => groups)).toHaveLength(1)
})

test('nobody decides on it, alone or with others', async () => {
  const { id: changeId } = await paused()
  const wish = { changeId, fingerprint: PRINT, mode: 'in-place' }
  const refused = /^Nobody is asked: Drydock does not govern this pool/
  await expect(approveChange(ada, wish)).rejects.toThrow(refused)
  await expect(rejectChange(ada, wish)).rejects.toThrow(refused)
  const changes = [{ changeId, fingerprint: PRINT }]
  for (const mode of ['in-place', 'reject'])
    expect((await previewSeveral(ada, { mode, changes })).leftOut).toMatchObject([
      { why: expect.stringMatching(refused) },
    ])
  expect(await db().approval.count()).toBe(0)
})

test('for too long, it is put before people as what it is: somebody’s pause', async () => {
  const { id } = await paused({ more: { holdLevel: 2 } })
  expect(await needs()).toMatchObject([
    {
      kind: 'paused',
      id,
      sentence: expect.stringMatching(/Somebody paused the pool themselves, and has to take that away$/),
    },
  ])
})

test('a group of Cluster API that the gate may hold yet is decided on in advance, and in its wave; until then nobody is asked', async () => {
  const { id } = await paused({ kind: 'MachineDeployment' })
  expect(await needs()).toEqual([])
  expect(
    (await previewSeveral(ada, { mode: 'in-place', changes: [{ changeId: id, fingerprint: PRINT }] })).leftOut,
  ).toEqual([])
})
