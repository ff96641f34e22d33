import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED, SEEN_STORED } from '@/lib/domain/latch/names'
import { FOUND_HELD, watchMark } from '@/lib/domain/latch/watch'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { HELD_AGAIN } from '@/lib/services/changes/held-again'
import { bound } from '@/testenv/bound'
import { annotations, as, expectHeld, latchedCluster } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { planningContext, shownFree } from '@/testenv/planning'
import { keepLetGo } from '../planner/keep-let-go'
import { planGroup } from '../planner/plan-group'
import type { ClusterView } from '../types'
import { lookAtGroups } from './look'
import { isWatched, watchOf, type Watch } from './watch'

useTestDatabase()
// Its own latch would hold everything: what the watch sees is made from what is there, without that hold.
const at = latchedCluster()
const NAME = 'machinedeployments.cluster.x-k8s.io n/g'

let held: Held
let before: string
let watch: Watch

beforeEach(async () => {
  held = await at.held()
  const { clusterId } = at
  const data = { latchForm: 'watch', watchSince: new Date() }
  await db().managementCluster.update({ where: { id: clusterId }, data })
  await db().policy.upsert({ where: { clusterId }, create: { clusterId, governs: 'all' }, update: { governs: 'all' } })
  const { letGo } = await db().group.findUniqueOrThrow({ where: { id: held.change.groupId } })
  before = `v1beta2 ${letGo}`
  await db().group.update({ where: { id: held.change.groupId }, data: { watched: before, governed: true } })
  // Nothing was planned yet of what was just written.
  await db().change.delete({ where: { id: held.change.id } })
  // Nothing moves while these tests look, however long they take.
  await at.cluster.admin.patch(CLUSTERS, held.change.workloadCluster, held.namespace, 'merge', {
    spec: { paused: true },
  })
  watch = (await watchOf({ clusterId, fence: 1n }))!
  await free()
})

/** Somebody with the rights wrote it unheld, as an older API server stores it. */
const free = async (more: object = {}) => {
  const { view } = await planningContext(at.clusterId)
  const { resource, name, namespace } = { resource: RESOURCE, ...held }
  const none = { [HELD]: null, [PAUSED]: null }
  await view.client.patch(resource, name, namespace, 'merge', { metadata: { annotations: none, ...more } } as never)
}
const CLUSTERS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters' }
const RESOURCE = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments' }

/** What a worker has that was just shown the group. */
async function viewOf(shown?: KubeObject): Promise<ClusterView> {
  const { view } = await planningContext(at.clusterId)
  const group = { ...(shown ?? (await held.read())), kind: 'MachineDeployment' }
  return { ...view, client: { ...bound(view.client) }, objects: () => new Map([['n/g', group]]) }
}
const row = () => db().group.findUniqueOrThrow({ where: { id: held.change.groupId } })
const audits = async () =>
  (await db().auditEvent.findMany({ where: { targetId: held.change.groupId }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )

test('the worker dies between seeing and pausing: the next one finds it and pauses it', async () => {
  const view = await viewOf()
  view.client.patch = () => Promise.reject(new Error('killed'))
  await lookAtGroups(view, watch, [NAME])
  expect(await annotations(held)).not.toHaveProperty([HELD])
  expect(await row()).toMatchObject({ watched: before, watchTrouble: 'killed' })

  expect(await lookAtGroups(await viewOf(), watch, [NAME])).toEqual({ unknown: [], later: [], failed: [] })
  await expectHeld(held)
  expect((await annotations(held))[HELD]).toBe(SEEN_STORED)
  expect(await row()).toMatchObject({ watched: before, watchTrouble: null })
})

test('somebody writes in between: it is read anew, and paused all the same', async () => {
  const view = await viewOf()
  await free({ labels: { team: 'blue' } })
  expect(await lookAtGroups(view, watch, [NAME])).toEqual({ unknown: [], later: [], failed: [] })
  await expectHeld(held)
  expect(await audits()).toEqual(['change.held ok'])
})

test('it was taken back, or held by others, in between: nothing is written, and that is on record', async () => {
  const view = await viewOf()
  await held.bump('v1.34.0')
  await free()
  await lookAtGroups(view, watch, [NAME])
  expect(await annotations(held)).not.toHaveProperty([HELD])
  const again = await viewOf()
  const { resourceVersion } = (await held.read()).metadata
  await held.bump('v1.34.1')
  expect((await held.read()).metadata.resourceVersion).not.toBe(resourceVersion)
  await lookAtGroups(again, watch, [NAME])
  expect((await annotations(held))[HELD]).not.toBe(SEEN_STORED)
  expect(await row()).toMatchObject({ watched: before, watchTrouble: null })
})

test('refused by the API server, it says so in its words, once, is tried again, and is planned as what it is: not held', async () => {
  const words = 'machinedeployments.cluster.x-k8s.io "one" is forbidden: User "drydock" cannot patch resource'
  const shown = await held.read()
  const context = await planningContext(at.clusterId)
  const group = { ...shown, kind: 'MachineDeployment' }
  // Until it is known whether it can be paused, nothing is planned.
  await planGroup(context, group)
  expect(await db().change.count({ where: { groupId: held.change.groupId } })).toBe(0)
  for (const _again of [1, 2]) {
    const view = await viewOf(shown)
    view.client.patch = () => Promise.reject(new KubeError(403, { kind: 'Status', code: 403, message: words }, 'PATCH'))
    expect((await lookAtGroups(view, watch, [NAME])).failed).toEqual([NAME])
  }
  expect((await row()).watchTrouble).toBe(words)
  expect(await audits()).toEqual(['change.held refused'])
  await planGroup(context, group)
  const change = await db().change.findFirstOrThrow({ where: { groupId: held.change.groupId } })
  expect(change).toMatchObject({ heldBy: 'none' })
  expect(await db().auditEvent.count({ where: { targetId: change.id, action: 'change.not-held' } })).toBe(1)
  // What goes unapproved because nobody could pause it is not what it may be changed back to.
  expect(`v1beta2 ${(await row()).letGo}`).toBe(before)

  await lookAtGroups(await viewOf(), watch, [NAME])
  await planGroup(context, { ...(await held.read()), kind: 'MachineDeployment' })
  // Its machine may be through by now: what is left waits all the same.
  const newest = { where: { groupId: held.change.groupId }, orderBy: { detectedAt: 'desc' } } as const
  expect(await db().change.findFirst(newest)).toMatchObject({ state: 'waiting', heldBy: 'latch' })
  expect((await row()).watchTrouble).toBeNull()
})

test('no answer leaves it to be tried again', async () => {
  const view = await viewOf()
  view.client.patch = () => Promise.reject(new KubeUnreachable('connection refused', 'PATCH'))
  expect((await lookAtGroups(view, watch, [NAME])).failed).toEqual([NAME])
  expect((await row()).watchTrouble).toBe('connection refused')
})

test('which clusters are watched is one question for all of them', async () => {
  const [own, other] = await Promise.all([isWatched(at.clusterId), isWatched(randomUUID())])
  expect([own, other]).toEqual([true, false])
})

test('a worker that no longer owns the cluster pauses nothing, and lets nothing be; each is through all the same', async () => {
  const { clusterId } = at
  const until = new Date(Date.now() + 3_600_000)
  await db().clusterLease.create({ data: { clusterId, owner: 'another', fence: 2n, until } })
  await expect(watchOf({ clusterId, fence: 1n })).rejects.toThrow('Another worker owns')
  expect(await watchOf({ clusterId, fence: 2n })).toEqual(watch)
  const governs = { ...watch.governs, governs: 'none' }
  const ended = vi.fn()
  const look = lookAtGroups(await viewOf(), { ...watch, governs }, [NAME], undefined, ended)
  await expect(look).rejects.toThrow('Another worker owns')
  expect(ended.mock.calls).toEqual([[NAME, 'unknown']])
  await db().clusterLease.delete({ where: { clusterId } })
  expect(await annotations(held)).not.toHaveProperty([HELD])
  expect((await row()).watched).toBe(before)
})

test('nor does one that lost the cluster while it read the group anew', async () => {
  const { clusterId } = at
  const view = await viewOf()
  await free({ labels: { team: 'blue' } })
  const { get } = view.client
  view.client.get = async (...of) => {
    const lease = { owner: 'another', fence: 2n, until: new Date(Date.now() + 3_600_000) }
    await db().clusterLease.create({ data: { clusterId, ...lease } })
    return get(...of)
  }
  try {
    await expect(lookAtGroups({ ...view, fence: 1n }, watch, [NAME])).rejects.toThrow('Another worker owns')
    expect(await annotations(held)).not.toHaveProperty([HELD])
  } finally {
    await db().clusterLease.deleteMany({ where: { clusterId } })
  }
})

test('an older view of what is held is not taken for a release by hand', async () => {
  const { clusterId } = at
  const stale = await held.read()
  await lookAtGroups(await viewOf(), watch, [NAME])
  await planGroup(await planningContext(clusterId), { ...(await held.read()), kind: 'MachineDeployment' })
  await lookAtGroups(await viewOf(stale), watch, [NAME])
  expect((await row()).watched).toBe(before)
  await expectHeld(held)
})

test('what a namespace without labels so far governs is not decided yet', async () => {
  const governs = { governs: 'namespace-label', labelKey: 'team/x', labelValue: null }
  const view = await viewOf()
  const none: ClusterView = { ...view, objects: (of) => (of === 'namespaces' ? new Map() : view.objects(of)) }
  expect(await lookAtGroups(none, { ...watch, governs }, [NAME])).toEqual({ unknown: [NAME], later: [], failed: [] })
  expect((await row()).watched).toBe(before)
})

test('a group of which nothing is remembered yet is looked at again', async () => {
  const view = await viewOf()
  await db().group.delete({ where: { id: held.change.groupId } })
  expect(await lookAtGroups(view, watch, [NAME])).toEqual({ unknown: [NAME], later: [], failed: [] })
})

const owning = (fence = 1n) => ({ clusterId: at.clusterId, fence })

test('only what the watch let be is kept as what a group may be changed back to', async () => {
  const group = await shownFree(held)
  const digest = watchMark(group).split(' ')[1]!
  expect(await keepLetGo(owning(), group, digest)).toBe(false)
  expect(`v1beta2 ${(await row()).letGo}`).toBe(before)
  await db().group.update({ where: { id: held.change.groupId }, data: { watched: watchMark(group) } })
  expect(await keepLetGo(owning(), group, digest)).toBe(true)
  expect((await row()).letGo).toBe(digest)
})

const look = async () => lookAtGroups(await viewOf(), watch, [NAME])
const plan = async () =>
  planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind: 'MachineDeployment' })
/** The change that waits, of a group that is held when watching begins: nothing is known of what it was. */
async function foundHeld() {
  await look()
  await expectHeld(held)
  await db().group.update({ where: { id: held.change.groupId }, data: { watched: null, letGo: null } })
  await plan()
  const change = await db().change.findFirstOrThrow({ where: { groupId: held.change.groupId, state: 'waiting' } })
  await look()
  await expectHeld(held)
  expect((await row()).watched).toBe(FOUND_HELD)
  return change
}
const approve = async (groupId: string) => {
  const { id, fingerprint } = await db().change.findFirstOrThrow({ where: { groupId, state: 'waiting' } })
  return approveChange(as('approver'), { changeId: id, fingerprint, mode: 'replace' })
}

test('held when watching begins: whoever drops that and brings something else lets nothing go', async () => {
  await foundHeld()
  // One write, as whoever watches sees it.
  await held.bump('v1.34.3')
  await free()
  await look()
  await expectHeld(held)
  expect(await row()).toMatchObject({ watched: FOUND_HELD, letGo: null })
  await plan()
  const open = { groupId: held.change.groupId, state: { notIn: ['superseded'] } }
  expect(await db().change.findMany({ where: open })).toMatchObject([{ state: 'waiting', toVersion: 'v1.34.3' }])
})

test('held when watching begins: its hold alone is put back, and what is approved goes', async () => {
  const { id, groupId } = await foundHeld()
  await free()
  await look()
  await expectHeld(held)
  expect(await db().auditEvent.count({ where: { targetId: id, action: HELD_AGAIN, result: 'ok' } })).toBe(1)
  expect(await approve(groupId)).toMatchObject({ error: null })
  await look()
  expect(await annotations(held)).not.toHaveProperty([HELD])
  expect((await row()).watched).toBe(watchMark(await held.read()))
})

test('held when watching begins, and changed back: what it was is not known, so it waits, and is written no more', async () => {
  await foundHeld()
  await held.bump('v1.34.0')
  for (const step of [plan, look, plan]) await step()
  const before = await held.read()
  for (const step of [look, plan, look, plan]) await step()
  await expectHeld(held)
  expect((await held.read()).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
})

/** As where watching begins: the group was never looked at, and what it was let go with is not known. */
const unseen = () => db().group.update({ where: { id: held.change.groupId }, data: { watched: null, letGo: null } })

test('held by the record, and its hold taken away before the first look: that is no beginning, and it is put back', async () => {
  watch = { ...watch, since: new Date() }
  const { id, groupId } = await foundHeld()
  await unseen()
  await free()
  await look()
  await expectHeld(held)
  expect(await db().auditEvent.count({ where: { targetId: id, action: HELD_AGAIN, result: 'ok' } })).toBe(1)
  // Nor where something else came with that.
  await unseen()
  await held.bump('v1.34.3')
  await free()
  await look()
  await expectHeld(held)
  await plan()
  expect(await approve(groupId)).toMatchObject({ error: null })
  await unseen()
  await look()
  expect(await annotations(held)).not.toHaveProperty([HELD])
})

test('nor is it where the change was rejected; what was let go again, or is on record nowhere, is where watching begins', async () => {
  watch = { ...watch, since: new Date() }
  const { id, fingerprint } = await foundHeld()
  await rejectChange(as('operator'), { changeId: id, fingerprint })
  await unseen()
  await free()
  await look()
  await expectHeld(held)
  await db().change.update({ where: { id }, data: { state: 'running' } })
  await unseen()
  await free()
  await look()
  expect(await annotations(held)).not.toHaveProperty([HELD])
  await db().change.delete({ where: { id } })
  await unseen()
  await look()
  expect(await annotations(held)).not.toHaveProperty([HELD])
})

test('let go by its approval before the watch saw it held: it is let be', async () => {
  watch = { ...watch, since: new Date(0) }
  await look()
  await expectHeld(held)
  await db().group.update({ where: { id: held.change.groupId }, data: { watched: null, letGo: null } })
  await plan()
  expect(await approve(held.change.groupId)).toMatchObject({ error: null })
  await look()
  expect(await annotations(held)).not.toHaveProperty([HELD])
  expect((await row()).watched).toBe(watchMark(await held.read()))
})

test('approved while a hold that was taken away is being put back: it goes', async () => {
  await look()
  await plan()
  await free()
  const view = await viewOf()
  const { groupId } = held.change
  const { patch } = view.client
  view.client.patch = async (...args) => {
    view.client.patch = patch
    expect(await approve(groupId)).toMatchObject({ error: null })
    return patch(...args)
  }
  expect(await lookAtGroups(view, watch, [NAME])).toEqual({ unknown: [], later: [], failed: [] })
  expect(await annotations(held)).not.toHaveProperty([HELD])
  await look()
  await plan()
  const [change] = await db().change.findMany({ where: { groupId }, include: { decisions: true } })
  expect(change).toMatchObject({ state: 'running', decisions: [{ state: 'seen' }] })
})
