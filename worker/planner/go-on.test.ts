import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { movingUnapproved } from '@/lib/services/changes/let-go-outside'
import { DECISION } from '@/lib/services/changes/patch-for'
import { rejectChange } from '@/lib/services/changes/reject-change'
import * as forCluster from '@/lib/services/updaters/for-cluster'
import { as, audited, inputFor, latchedCluster, recordedOnly, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext, shownFree } from '@/testenv/planning'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()

const HOURS_AGO = () => new Date(Date.now() - 2 * 3_600_000)
const changeOf = (held: Held) => db().change.findUniqueOrThrow({ where: { id: held.change.id } })
const decisionStates = async (held: Held) =>
  (await db().decision.findMany({ where: { changeId: held.change.id }, orderBy: { recordedAt: 'asc' } })).map(
    ({ state }) => state,
  )
/** Nothing was given: as the cluster has it. */
const planned = async (held: Held, group?: KubeObject) =>
  planGroup(await planningContext(at.clusterId), group ?? { ...(await held.read()), kind: held.kind })

test.each<[string, Record<string, string>, string]>([
  ['only the gate’s answers hold it then', {}, 'gate'],
  ['only somebody’s own pause holds it then', { [PAUSED]: 'night shift' }, 'person'],
])('rejected, and its hold taken away by hand: on record, and %s', async (_, left, heldBy) => {
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { gateState: 'registered' } })
  const held = await at.held()
  const { changeId, fingerprint } = inputFor(held)
  await rejectChange(as('operator'), { changeId, fingerprint })
  await planned(held)
  expect(await changeOf(held)).toMatchObject({ state: 'rejected', heldBy: 'latch' })
  for (const _again of [1, 2, 3]) await planned(held, await shownFree(held, left))
  expect(await changeOf(held)).toMatchObject({ state: 'waiting', heldBy })
  expect(await decisionStates(held)).toEqual(['voided'])
  const letGo = (await audited(held)).filter((event) => event.startsWith('change.let-go'))
  expect(letGo).toEqual(['change.let-go ok'])
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { gateState: 'unregistered' } })
})

test.each([
  ['that nobody governs: nothing of Drydock was taken', false, []],
  ['that is governed: it goes unapproved, which is on record', true, ['change.let-go ok']],
])('somebody’s own pause is taken away from a group %s', async (_, governed, told) => {
  const held = await at.held()
  const { id, groupId } = held.change
  await db().change.update({ where: { id }, data: { heldBy: 'person' } })
  await db().group.update({ where: { id: groupId }, data: { governed } })
  await planned(held, await shownFree(held))
  expect(await changeOf(held)).toMatchObject({ state: 'running', heldBy: 'none' })
  expect((await audited(held)).filter((event) => event.startsWith('change.let-go'))).toEqual(told)
  expect((await movingUnapproved(db(), [id])).size).toBe(told.length)
})

test('rejected, and shown as it was before: the rejection stands', async () => {
  const held = await at.held()
  const before = await shownFree(held, { [PAUSED]: 'night shift' })
  const { changeId, fingerprint } = inputFor(held)
  await rejectChange(as('operator'), { changeId, fingerprint })
  await planned(held)
  expect(await decisionStates(held)).toEqual(['seen'])
  await planned(held, before)
  expect(await stateOf(held)).toBe('rejected')
  expect(await decisionStates(held)).toEqual(['seen'])
})

test('rejected, and approved by one of two since: that is over where the whole configuration of its machines is edited', async () => {
  const held = await at.held()
  const { id } = held.change
  await rejectChange(as('operator'), { changeId: id, fingerprint: held.change.fingerprint })
  const by = { actorId: 'ada', actorName: 'Ada', mode: 'in-place', deletions: 0 }
  await db().approval.create({ data: { changeId: id, fingerprint: held.change.fingerprint, ...by } })
  await planned(held)
  const ended = async () => (await db().approval.findFirstOrThrow({ where: { changeId: id } })).endedWhy
  expect(await ended()).toBeNull()
  // As it was shown until now.
  const { changeSet } = await changeOf(held)
  const { pairs, ...rest } = changeSet as { pairs: object[] }
  const shown = {
    ...rest,
    pairs: pairs.map((pair) => ({ ...pair, config: { apiVersion: 'v1beta2', digest: 'other' } })),
  }
  await db().change.update({ where: { id }, data: { changeSet: shown } })
  await planned(held)
  expect(await changeOf(held)).toMatchObject({ state: 'rejected', fingerprint: held.change.fingerprint })
  expect(await ended()).toBe('config')
})

test('a rejection that pauses what only the gate held: the page says that it is paused now', async () => {
  const held = await at.held()
  await db().change.update({ where: { id: held.change.id }, data: { heldBy: 'gate' } })
  const { changeId, fingerprint } = inputFor(held)
  await rejectChange(as('operator'), { changeId, fingerprint })
  await planned(held)
  expect(await changeOf(held)).toMatchObject({ state: 'rejected', heldBy: 'latch' })
})

test('stopped, and approved again hours later: it has its time to move, and what it did before stays', async () => {
  const held = await at.held()
  const outcome = { updatedInPlace: 0, created: 0, deleted: 1, failed: 0 }
  const past = HOURS_AGO()
  await recordedOnly(held, { state: 'seen', acceptedAt: past, seenAt: past, recordedAt: past })
  const { id } = held.change
  await db().change.update({ where: { id }, data: { state: 'running', startedAt: past, outcome } })
  const before = { changeId: id, machineId: randomUUID(), machineName: 'm-1', state: 'deleted' }
  await db().machineProgress.create({ data: { ...before, startedAt: past, finishedAt: past } })
  await planned(held)
  // Of the whole is what was dealt with, and what is left of it.
  const outlook = { before: { inPlace: 0, created: 0, deleted: 1 } }
  expect(await changeOf(held)).toMatchObject({ state: 'waiting', startedAt: null, outcome, outlook })

  const now = { acceptedAt: new Date(), recordedAt: new Date() }
  const decision = await recordedOnly(held, { state: 'accepted', ...now })
  for (const _again of [1, 2]) await planned(held, await shownFree(held, { [DECISION]: decision }))
  expect(await changeOf(held)).toMatchObject({ state: 'running', stuckReason: null, outcome, outlook })
  expect((await changeOf(held)).startedAt!.getTime()).toBeGreaterThan(past.getTime())
  expect(await db().machineProgress.findMany({ where: { changeId: id } })).toMatchObject([before])
})

test('held again before anybody looked at what had begun: what went in between is on record as deleted', async () => {
  const held = await at.held()
  const past = new Date(Date.now() - 61_000)
  await recordedOnly(held, { state: 'seen', acceptedAt: past, seenAt: past, recordedAt: past })
  const { id } = held.change
  await db().change.update({ where: { id }, data: { state: 'running', startedAt: past } })
  const gone = { changeId: id, machineId: randomUUID(), machineName: 'm-1' }
  await db().machineProgress.create({ data: { ...gone, state: 'waiting', predicted: 'replace' } })
  for (const _again of [1, 2]) await planned(held)
  expect(await changeOf(held)).toMatchObject({ state: 'waiting', outcome: { deleted: 1, updatedInPlace: 0 } })
  expect(await db().machineProgress.findMany({ where: { changeId: id } })).toMatchObject([
    { ...gone, state: 'deleted' },
  ])
})

test('under way without a decision: what was said of it stays once a machine moves, and is no total of what is left', async () => {
  const held = await at.held()
  const { id } = held.change
  const said = {
    inPlace: null,
    replace: { counts: { replace: 7 }, created: 7, deleted: 9, headline: '' },
    uncovered: [],
  }
  const numbers = async () => (await changeOf(held)).outlook as { replace: { created: number } }
  const outcome = { updatedInPlace: 0, created: 0, deleted: 0, failed: 0 }
  await db().change.update({ where: { id }, data: { state: 'running', heldBy: 'none', outlook: said, outcome } })
  await planned(held, await shownFree(held))
  expect((await numbers()).replace.created).toBe(1)
  const coming = { changeId: id, machineId: randomUUID(), machineName: 'm-2', state: 'created', startedAt: new Date() }
  await db().machineProgress.create({ data: coming })
  await db().change.update({ where: { id }, data: { state: 'running', outlook: said } })
  await planned(held, await shownFree(held))
  expect((await numbers()).replace.created).toBe(7)
})

test('stopped before the watch showed that it was let go, its mark dropped by another writer: it can be decided', async () => {
  const held = await at.held()
  const past = new Date(Date.now() - 61_000)
  await recordedOnly(held, { mode: 'replace', state: 'accepted', sentAt: past, acceptedAt: past })
  await planned(held)
  expect(await stateOf(held)).toBe('waiting')
  expect(await decisionStates(held)).toEqual(['voided'])
  expect(await approveChange(as('approver'), inputFor(held))).toMatchObject({ state: 'accepted' })
})

test('a watch that is late by less than a minute, or a cluster that holds nothing: the approval stands', async () => {
  const held = await at.held()
  const id = await recordedOnly(held, { state: 'accepted', acceptedAt: new Date() })
  await planned(held)
  expect(await stateOf(held)).toBe('approved')
  await db().decision.update({ where: { id }, data: { acceptedAt: HOURS_AGO() } })
  const { client } = (await planningContext(at.clusterId)).view
  const [{ get }, stale, now] = [client, await held.read(), await shownFree(held)]
  client.get = (resource, name, ...rest) =>
    resource.plural === MD.plural && name === held.name ? Promise.resolve(now) : get(resource, name, ...rest)
  await planned(held, { ...stale, kind: held.kind }).finally(() => (client.get = get))
  expect(await stateOf(held)).toBe('approved')
  expect(await decisionStates(held)).toEqual(['accepted'])
})

/** Something else comes in between: after the planner read the change, before it writes. */
async function plannedWhile(held: Held, happens: () => Promise<unknown>): Promise<void> {
  const asked = vi.spyOn(forCluster, 'askable').mockImplementationOnce(async () => {
    await happens()
    return { updaters: [], unknown: null }
  })
  await planned(held)
  expect(asked).toHaveBeenCalled()
  asked.mockRestore()
}

test('a change that is over by the time it is written keeps its decision', async () => {
  const held = await at.held()
  await recordedOnly(held, { state: 'seen', acceptedAt: new Date(), seenAt: new Date() })
  const { id } = held.change
  await db().change.update({ where: { id }, data: { state: 'running', startedAt: new Date() } })
  await plannedWhile(held, () => db().change.update({ where: { id }, data: { state: 'done' } }))
  expect(await stateOf(held)).toBe('done')
  expect(await decisionStates(held)).toEqual(['seen'])
})

test('decided anew by the time it is written: what was read of the decision before says nothing', async () => {
  const held = await at.held()
  const past = HOURS_AGO()
  const id = await recordedOnly(held, { state: 'accepted', sentAt: past, acceptedAt: past, recordedAt: past })
  await plannedWhile(held, async () => {
    await db().decision.update({ where: { id }, data: { state: 'voided' } })
    await recordedOnly(held, { state: 'recorded', recordedAt: new Date() })
  })
  expect(await stateOf(held)).toBe('approved')
  expect(await decisionStates(held)).toEqual(['voided', 'recorded'])
})
