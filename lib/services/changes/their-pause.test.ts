import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { stateOf } from '@/components/updates/words'
import { PAUSED } from '@/lib/domain/latch/names'
import { inputFor } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { pausesCluster } from '@/testenv/paused-cluster'
import { holdToTimes } from '@/worker/planner/times'
import { ada, begins, bo, decisions, person, row, says, timedCluster } from '@/testenv/timed'
import { getUpdate, listUpdates } from '../fleet/list-updates'
import { needsYou } from '../fleet/needs-you'
import { newestOf } from '../waves/newest'
import { approveChange } from './approve-change'
import { previewSeveral } from './preview-several'
import { pauseChange } from './pause-change'
import { pausedByOthers } from './their-pause'
import { resumeChange } from './resume-change'
import { withdrawApproval } from './withdraw-approval'

useTestDatabase()
const { at, look, slow, view } = timedCluster()

const need = async (id: string, ctx = ada) => (await needsYou(ctx, {})).find((one) => one.id === id)
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)

test('before it is approved: that somebody paused its whole Cluster, on its page, in the lists and in needs you', async () => {
  const [held, other] = [await at.held(), await at.held()]
  const { id: changeId, fingerprint } = held.change
  await pausesCluster(held)
  expect(await pausedByOthers([changeId, other.change.id])).toEqual(new Map([[changeId, 'cluster']]))
  expect((await getUpdate(ada, changeId)).held).toMatchObject({ theirs: 'cluster', ownPause: null })
  expect((await listUpdates(ada, { tab: 'waiting' })).paused).toEqual({ [changeId]: 'cluster' })
  expect((await need(changeId))?.sentence).toBe(
    'Waiting for your approval. Somebody paused its whole Cluster, and has to take that away',
  )
  expect((await need(other.change.id))?.sentence).toBe('Waiting for your approval')
  const { rows } = await previewSeveral(ada, { mode: 'replace', changes: [{ changeId, fingerprint }] })
  expect(rows).toMatchObject([{ pausedByOthers: 'cluster' }])
  // The group as well, and then only the group.
  await db().group.update({ where: { id: held.change.groupId }, data: { paused: true } })
  expect((await getUpdate(ada, changeId)).held).toMatchObject({ theirs: 'both' })
  await pausesCluster(held, false)
  expect((await getUpdate(ada, changeId)).held).toMatchObject({ theirs: 'group' })
})

test('approved in it, it is not under way: it says so, its approval may expire or be taken back, and in time it needs somebody', async () => {
  const held = await slow()
  const { id: changeId, clusterId, namespace, workloadCluster: name } = held.change
  await pausesCluster(held)
  await says(held, { expiresAfter: '1h' })
  await approveChange(ada, inputFor(held))
  await look(held)
  await db().group.update({ where: { id: held.change.groupId }, data: { held: null, heldSince: null } })
  expect(await row(held)).toMatchObject({ state: 'running' })
  const change = await getUpdate(ada, changeId)
  expect(stateOf(change, null, change.held?.theirs).words).toBe('Approved, and its Cluster is paused by somebody')
  expect((await listUpdates(ada, { tab: 'running' })).paused).toEqual({ [changeId]: 'cluster' })
  expect((await newestOf(db(), [change.groupId])).get(change.groupId)).toMatchObject({ theirs: 'cluster' })
  expect(change.policy).toMatchObject({ approvals: [{ expiresAt: expect.any(String) as string, takeBack: 'holds' }] })
  // As old as Drydock knows of it, whenever the change came.
  const where = { clusterId_namespace_name: { clusterId, namespace, name } }
  const { pausedSeenAt } = await db().workloadCluster.findUniqueOrThrow({ where })
  await db().change.update({ where: { id: changeId }, data: { detectedAt: ago(500) } })
  expect((await getUpdate(ada, changeId)).held?.since).toBe(pausedSeenAt?.toISOString())

  expect(await need(changeId)).toBeUndefined()
  await db().workloadCluster.update({ where, data: { pausedSeenAt: ago(21) } })
  expect(await need(changeId)).toMatchObject({
    ...{ kind: 'paused', since: expect.any(String) as string },
    sentence: 'Somebody paused its whole Cluster, and has to take that away',
  })
  // Who may not decide hears of it when it is long held.
  expect(await need(changeId, person('vi', 'viewer'))).toBeUndefined()

  await withdrawApproval(ada, { changeId })
  expect(await row(held)).toMatchObject({ pausedBy: 'Ada', pausedUntilHeld: true })
  expect(stateOf(await getUpdate(ada, changeId), null, 'cluster').words).toBe('Being held again')
  await look(held)
})

test('what had begun before the Cluster was paused cannot be taken back, and is told as paused all the same', async () => {
  const held = await slow()
  await approveChange(bo, inputFor(held))
  await look(held)
  await begins(held)
  const [decision] = await decisions(held)
  await db().machineProgress.updateMany({ where: { changeId: held.change.id }, data: { begunBy: decision!.id } })
  await pausesCluster(held)
  const change = await getUpdate(bo, held.change.id)
  expect(change.held?.theirs).toBe('cluster')
  expect(change.policy).toMatchObject({ approvals: [{ takeBack: null }] })
})

test('paused here meanwhile, its group is held, and stays so once the Cluster goes on', async () => {
  const held = await slow()
  const { id: changeId } = held.change
  await approveChange(bo, inputFor(held))
  await look(held)
  await begins(held)
  await pausesCluster(held)
  await pauseChange(ada, { changeId, reason: 'not tonight' })
  await holdToTimes(await view())
  await look(held)
  expect((await held.read()).metadata.annotations).toHaveProperty([PAUSED])
  await pausesCluster(held, false)
  await look(held)
  expect((await held.read()).metadata.annotations).toHaveProperty([PAUSED])
  expect(await row(held)).toMatchObject({ pausedBy: 'Ada' })
})

test('paused here below somebody’s own pause of its group, both keep it, and neither takes the other away', async () => {
  const theirs = (held: Held, paused: boolean) =>
    at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { paused } })
  const stands = async (held: Held) => {
    const { spec, metadata } = await held.read()
    return { theirs: spec?.paused === true, ours: PAUSED in (metadata.annotations ?? {}) }
  }
  const pausedThenHeld = async () => {
    const held = await slow()
    await approveChange(bo, inputFor(held))
    await look(held)
    await begins(held)
    await theirs(held, true)
    await pauseChange(ada, { changeId: held.change.id, reason: 'not tonight' })
    await holdToTimes(await view())
    await look(held)
    expect(await stands(held)).toEqual({ theirs: true, ours: true })
    return held
  }
  const one = await pausedThenHeld()
  await theirs(one, false)
  await look(one)
  expect(await stands(one)).toEqual({ theirs: false, ours: true })
  expect(await row(one)).toMatchObject({ state: 'waiting', pausedBy: 'Ada' })

  const other = await pausedThenHeld()
  await resumeChange(ada, { changeId: other.change.id })
  await look(other)
  expect(await stands(other)).toEqual({ theirs: true, ours: false })
  expect(await row(other)).toMatchObject({ pausedBy: null })
})

test('however long, it does not make a rollout stuck; without it the same one is', async () => {
  const held = await slow()
  await approveChange(ada, inputFor(held))
  await look(held)
  await db().change.update({ where: { id: held.change.id }, data: { startedAt: ago(30) } })
  await pausesCluster(held)
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'running', stuckReason: null })
  await pausesCluster(held, false)
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'stuck' })
})

test('taken away, nothing is left of it', async () => {
  const held = await at.held()
  await pausesCluster(held)
  await pausesCluster(held, false)
  const { clusterId, namespace, workloadCluster: name } = held.change
  const where = { clusterId_namespace_name: { clusterId, namespace, name } }
  expect(await db().workloadCluster.findUniqueOrThrow({ where })).toMatchObject({ paused: false, pausedSeenAt: null })
  expect((await getUpdate(ada, held.change.id)).held).toBeNull()
})
