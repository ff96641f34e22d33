import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { ChangeSet, Outlook } from '@/lib/domain/changes'
import * as planning from '@/lib/services/changes/planned'
import { latchedCluster } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { planningContext, shownFree } from '@/testenv/planning'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()

const changeOf = (held: Held) => db().change.findUniqueOrThrow({ where: { id: held.change.id } })
const outlookOf = async (held: Held) => (await changeOf(held)).outlook as unknown as Outlook
/** All deletions that its page counts: those that were, and those that are left. */
const deletions = async (held: Held) => {
  const { before, replace } = await outlookOf(held)
  return (before?.deleted ?? 0) + replace.deleted
}

/** The one old machine of the group, on its way out or not yet. */
async function oldMachine(held: Held, deleting: boolean): Promise<string> {
  const [pair] = (held.change.changeSet as unknown as ChangeSet).pairs
  const { clusterId, id: changeId } = held.change
  const { id } = await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace, name: 'm-1' },
      ...{ workloadCluster: 'w', groupKind: held.kind, groupName: held.name, machineSet: pair!.from, sentence: '' },
      ...{ phase: 'Running', state: 'ready', deleting, upToDate: false, verdict: 'replace', resourceVersion: '1' },
      createdAt: new Date(0),
    },
  })
  const waits = { changeId, machineId: id, machineName: 'm-1', state: 'waiting', predicted: 'replace' }
  await db().machineProgress.create({ data: waits })
  return id
}

test('moving unapproved, and held again while its machine is being deleted: that one is counted once', async () => {
  const held = await at.held()
  await oldMachine(held, true)
  await db().change.update({ where: { id: held.change.id }, data: { state: 'running', heldBy: 'none' } })
  await planGroup(await planningContext(at.clusterId), await shownFree(held))
  expect(await changeOf(held)).toMatchObject({ state: 'running', outcome: { deleted: 1, deleting: 1 } })
  expect(await deletions(held)).toBe(1)

  await planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind: held.kind })
  expect(await changeOf(held)).toMatchObject({ state: 'waiting' })
  // What is left is to make the one that is wanted.
  expect(await outlookOf(held)).toMatchObject({
    before: { inPlace: 0, created: 0, deleted: 1 },
    replace: { created: 1, deleted: 0 },
  })
})

test('a machine whose updater failed is not said to be at it, and to go on', async () => {
  const held = await at.held()
  const row = (name: string, state: string) => ({
    ...{ id: randomUUID(), clusterId: at.clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace, name },
    ...{ workloadCluster: 'w', groupKind: held.kind, groupName: held.name, machineSet: 'new', sentence: '' },
    ...{ phase: 'Running', state, updating: true, verdict: 'up-to-date', resourceVersion: '1', createdAt: new Date(0) },
  })
  const rows = [row('m-failed', 'failed'), row('m-asked-again', 'updating'), row('m-at-it', 'updating')]
  await db().machine.createMany({ data: rows })
  const { id: changeId } = held.change
  // Its updater said so; until it is asked again nothing is at work, whatever its row says.
  await db().machineProgress.create({
    data: {
      ...{ changeId, machineId: rows[1]!.id, machineName: rows[1]!.name, state: 'failed', updater: 'files' },
      startedAt: new Date(),
    },
  })
  await planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind: held.kind })
  const { headline } = (await outlookOf(held)).replace
  expect(headline).toContain('1 machine that is being updated now goes on to the end of that first')
  expect(headline).toContain('2 machines are not available now')
})

test('a machine that begins to go between two reads of one look: what was said before anything moved stays', async () => {
  const held = await at.held()
  const id = await oldMachine(held, false)
  await db().change.update({ where: { id: held.change.id }, data: { state: 'running', heldBy: 'none' } })
  const { plannedOf } = planning
  const late = vi.spyOn(planning, 'plannedOf').mockImplementation(async (...of) => {
    const planned = await plannedOf(...of)
    await db().machine.update({ where: { id }, data: { deleting: true } })
    return planned
  })
  await planGroup(await planningContext(at.clusterId), await shownFree(held))
  late.mockRestore()
  expect(await changeOf(held)).toMatchObject({ state: 'running', outcome: { deleted: 1 } })
  expect(await deletions(held)).toBe(1)
})
