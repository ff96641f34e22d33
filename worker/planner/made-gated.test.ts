import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { KubeObject } from '@/lib/kubernetes/types'
import { getUpdate, listUpdates } from '@/lib/services/fleet/list-updates'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { NOT_HELD } from '@/lib/services/changes/let-go-outside'
import { MOVED_UNAPPROVED } from '@/lib/services/changes/moved-unapproved'
import { sparesMade } from '@/lib/services/changes/spares-made'
import { recordMadeUnasked } from '@/lib/services/changes/made-unasked'
import { as } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { planeRows } from '@/testenv/plane'
import { shownFree, planningContext } from '@/testenv/planning'
import { ada, row, timedCluster } from '@/testenv/timed'
import { endedUnseen, nothingPending } from './nothing-pending'
import { planGroup } from './plan-group'

useTestDatabase()
const { at } = timedCluster()
const viewer = as('viewer')

/** A control plane that only the gate holds, with a machine that was made so many seconds after the change was seen. */
async function gated(seconds: number, more: object = {}): Promise<Held> {
  const held = await at.held('KubeadmControlPlane')
  const { id: changeId, detectedAt } = held.change
  const [, spare] = await planeRows(held, ['old', 'spare'])
  const createdAt = new Date(detectedAt.getTime() + seconds * 1000)
  await db().machine.update({ where: { id: spare! }, data: { createdAt, verdict: 'up-to-date', upToDate: true } })
  await db().change.update({ where: { id: changeId }, data: { heldBy: 'gate', ...more } })
  return held
}
const record = (held: Held, written: string | null = null) =>
  db().$transaction((tx) => recordMadeUnasked(tx, held.change, 'prod', written))
const recorded = async ({ change: { id } }: Held) =>
  (await db().auditEvent.findMany({ where: { targetId: id, action: MOVED_UNAPPROVED } })).map(({ reason }) => reason)

test('a machine that Cluster API made of what only the gate holds is on record once, as let go by nobody', async () => {
  const held = await gated(2)
  const { id, groupId, digest } = held.change
  expect(await sparesMade(groupId, digest!)).toBe(0)
  expect([await record(held), await record(held)]).toEqual([true, false])
  const why =
    'It was not approved when spare began: only the update gate held it, and Cluster API asks nobody before it makes a new control plane machine.'
  expect(await recorded(held)).toEqual([why])
  const page = await getUpdate(viewer, id)
  expect(page.madeUnasked).toEqual(['spare'])
  expect(page.timeline.map(({ text }) => text)).toContain(why)
  expect((await listUpdates(viewer, { tab: 'waiting' })).madeUnasked).toEqual({ [id]: ['spare'] })
  // An old one goes for it, and nobody scaled it down.
  expect(await sparesMade(groupId, digest!)).toBe(1)
  const need = { kind: 'unapproved', sentence: expect.stringMatching(/^A machine was made of it, which nobody let go/) }
  for (const who of [ada, viewer]) expect((await needsYou(who, {})).filter((n) => n.id === id)).toMatchObject([need])
  // Held by Drydock itself it does not move any more.
  await db().change.update({ where: { id }, data: { heldBy: 'latch' } })
  expect((await needsYou(ada, {})).filter((n) => n.id === id)).toMatchObject([{ kind: 'approval' }])
  expect((await getUpdate(viewer, id)).madeUnasked).toEqual(['spare'])
})

test.each<[string, number, string | null, object, boolean]>([
  ['it was there before', -30, null, {}, false],
  ['it was made before the change was seen, and after it was written', -30, '-40', {}, true],
  ['the latch holds it', 2, null, { heldBy: 'latch' }, false],
  ['it was under way, or held, when it was first seen', 2, null, { firstSeen: true }, false],
])('%s', async (_, seconds, written, more, is) => {
  const held = await gated(seconds, more)
  const at = written && new Date(held.change.detectedAt.getTime() + Number(written) * 1000).toISOString()
  expect(await record(held, at)).toBe(is)
})

test('the planner tells it', async () => {
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { gateState: 'registered' } })
  const held = await gated(2)
  const look = async (group: KubeObject) => planGroup(await planningContext(at.clusterId), group)
  const shown = await shownFree(held)
  for (const _again of [1, 2, 3]) await look(shown)
  expect(await recorded(held)).toHaveLength(1)
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { gateState: 'unregistered' } })
})

test('where every machine was replaced unasked, that is on record, and not that its hold was taken away', async () => {
  const held = await gated(2)
  await record(held)
  const group = await shownFree(held)
  await db().machine.deleteMany({ where: { groupName: held.name, name: 'old' } })
  const open = await db().change.findUniqueOrThrow({ where: { id: held.change.id }, include: { decisions: true } })
  const context = await planningContext(at.clusterId)
  const { clusterId, kind, namespace, name } = { ...held, clusterId: at.clusterId }
  const key = { clusterId, kind, namespace, name, fence: context.view.fence }
  await nothingPending(context, group, key, open, 1, open.digest!, await endedUnseen(open, open.digest!, false))
  const events = await db().auditEvent.findMany({ where: { targetId: held.change.id }, orderBy: { id: 'asc' } })
  expect(events.map(({ action }) => action)).toEqual([MOVED_UNAPPROVED, NOT_HELD])
  expect(await row(held)).toMatchObject({ state: 'done' })
})

test('governed again it is put on hold, and why stands in its timeline', async () => {
  const before = await db().managementCluster.findUniqueOrThrow({ where: { id: at.clusterId } })
  const cluster = (latchForm: string, gateState: string) =>
    db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm, gateState } })
  await cluster('policy', 'registered')
  const held = await gated(2)
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
  await planGroup(await planningContext(at.clusterId), await shownFree(held))
  const { timeline } = await getUpdate(viewer, held.change.id)
  expect(timeline.map(({ text }) => text)).toContain(
    'Drydock put its group on hold: this was already pending when the latch came.',
  )
  await cluster(before.latchForm, before.gateState)
})

test('what a machine set of workers makes anew is not told as a control plane machine', async () => {
  const held = await at.held()
  const { id, detectedAt } = held.change
  const [, fresh] = await planeRows(held, ['old', 'fresh'])
  const createdAt = new Date(detectedAt.getTime() + 2_000)
  await db().machine.update({ where: { id: fresh! }, data: { createdAt, verdict: 'up-to-date', upToDate: true } })
  await db().change.update({ where: { id }, data: { heldBy: 'gate' } })
  expect(await record(held)).toBe(false)
})
