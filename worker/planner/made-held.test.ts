import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import type { ChangeOutcome } from '@/lib/services/changes/change-row'
import { recordBegun } from '@/lib/services/changes/moved-unapproved'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { pauseCluster } from '@/testenv/bootstrap-template'
import { inputFor } from '@/testenv/deciding'
import { ago } from '@/testenv/faring'
import { MD, type Held } from '@/testenv/held'
import { ada, row, says, timedCluster } from '@/testenv/timed'
import { holdToTimes } from './times'

useTestDatabase()
const { at, view, look } = timedCluster()

const ofHeld = ({ change }: Held) => ({ changeId: change.id })

/** A machine of what waits. */
async function make({ change }: Held, name: string, createdAt = new Date()): Promise<void> {
  const { clusterId, namespace, groupKind, groupName, workloadCluster } = change
  const of = { clusterId, namespace, groupKind, groupName, workloadCluster, provider: 'cluster.x-k8s.io' }
  const seen = { phase: 'Running', state: 'ready', sentence: '', ready: true, available: true, upToDate: true }
  const born = { id: randomUUID(), name, resourceVersion: '1', createdAt }
  await db().machine.create({ data: { ...of, ...seen, ...born, verdict: 'up-to-date', machineSet: 'new' } })
}

/** Let go, and held again so many minutes ago; `before`: a machine that began until then. */
async function heldAgain(minutes: number, before?: string): Promise<Held> {
  const held = await at.held()
  await says(held, { approvals: 1 })
  await pauseCluster(at.cluster.admin, held)
  await approveChange(ada, inputFor(held))
  await look(held)
  if (before) {
    await make(held, before)
    await look(held)
    await pauseChange(ada, ofHeld(held))
  } else await withdrawApproval(ada, ofHeld(held))
  await holdToTimes(await view())
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'waiting' })
  const when = { acceptedAt: ago(minutes + 2), voidedAt: ago(minutes) }
  await db().decision.updateMany({ where: ofHeld(held), data: when })
  await db().machineProgress.updateMany({ where: { ...ofHeld(held), machineName: before ?? '' }, data: { startedAt: ago(minutes + 1) } }) // prettier-ignore
  return held
}

/** What is on record of machines that came so, and how many are counted as made. */
async function madeOf(held: Held) {
  const { timeline } = await getUpdate(ada, held.change.id)
  const said = timeline.map(({ text }) => text).filter((text) => /when late\w* began/.test(text))
  return { said, created: ((await row(held)).outcome as ChangeOutcome | null)?.created }
}

const unapproved = (name: string) => `No approval of it was in force when ${name} began.`

test('each machine that is made well after the hold is on record as let by nobody', async () => {
  const held = await heldAgain(1)
  for (const name of ['late', 'later']) {
    await make(held, name)
    for (let i = 0; i < 3; i++) await look(held)
  }
  expect(await madeOf(held)).toEqual({ said: [unapproved('late'), unapproved('later')], created: 2 })
  expect(await row(held)).toMatchObject({ state: 'waiting' })
})

test('that is on record at once: it may be approved before somebody looks again', async () => {
  const held = await heldAgain(1)
  await make(held, 'late')
  await look(held)
  expect((await madeOf(held)).said).toEqual([unapproved('late')])
})

test('one that is made in the moment of the hold has begun, and was let by what was void then', async () => {
  const held = await heldAgain(0)
  await make(held, 'late')
  for (let i = 0; i < 3; i++) await look(held)
  expect(await madeOf(held)).toEqual({ said: [], created: 1 })
})

test('where others had begun before, those that come after the hold are on record', async () => {
  const held = await heldAgain(1, 'early')
  await make(held, 'late')
  for (let i = 0; i < 2; i++) await look(held)
  expect(await madeOf(held)).toEqual({ said: ['It was not let go when late began.'], created: 2 })
})

test('so are those of what was rejected since, and they are counted', async () => {
  const held = await heldAgain(1)
  const { fingerprint } = await row(held)
  await rejectChange(ada, { ...ofHeld(held), fingerprint, reason: 'no' })
  await look(held)
  await make(held, 'late')
  for (let i = 0; i < 3; i++) await look(held)
  expect(await madeOf(held)).toEqual({ said: [unapproved('late')], created: 1 })
  expect(await row(held)).toMatchObject({ state: 'rejected' })
})

test('of a MachineDeployment it is not said that a pool was paused, or was not', async () => {
  const held = await at.held()
  const begun = { name: 'late', letGo: false, approved: false, later: true }
  await db().$transaction((tx) => recordBegun(tx, held.change, 'prod', [begun]))
  const where = { action: 'change.moved-unapproved', targetId: held.change.id }
  const { reason } = await db().auditEvent.findFirstOrThrow({ where })
  expect(reason).toBe('It was not approved when late began.')
})

test('those that came while somebody had taken the hold away are not: that is on record, and so is that it came back', async () => {
  const held = await heldAgain(3)
  const { client } = await view()
  const write = (annotations: Record<string, string | null>) =>
    client.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations } })
  const { [HELD]: words, [PAUSED]: paused } = (await held.read()).metadata.annotations!
  await write({ [HELD]: null, [PAUSED]: null })
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'running', heldBy: 'none' })
  for (const name of ['late1', 'late2']) {
    await make(held, name)
    await look(held)
  }
  await write({ [HELD]: words!, [PAUSED]: paused! })
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'waiting', heldBy: 'latch' })
  for (const name of ['late3', 'late4']) {
    await make(held, name)
    for (let i = 0; i < 2; i++) await look(held)
    // A minute after that hold.
    const where = { ...ofHeld(held), machineName: name }
    await db().machineProgress.updateMany({ where, data: { startedAt: ago(-1) } })
  }
  await look(held)
  expect((await madeOf(held)).said).toEqual([unapproved('late3')])
  const where = { targetId: held.change.id, action: 'decision.ended' }
  expect(await db().auditEvent.count({ where })).toBe(1)
})

test('nor is one in the place of one that was let go, and went meanwhile; the next one is', async () => {
  const held = await heldAgain(60, 'early')
  await db().machine.deleteMany({ where: { name: 'early' } })
  await make(held, 'late')
  for (let i = 0; i < 2; i++) await look(held)
  expect((await madeOf(held)).said).toEqual([])
  await make(held, 'later')
  for (let i = 0; i < 2; i++) await look(held)
  expect((await madeOf(held)).said).toEqual(['It was not let go when later began.'])
})

test('nor are those that Drydock itself has a machine set make', async () => {
  const held = await heldAgain(60, 'early')
  const scaling = { set: 'new', from: 1, to: 2, at: ago(1).toISOString(), trouble: null }
  await db().group.update({ where: { id: held.change.groupId }, data: { scaling } })
  for (const name of ['late', 'later']) {
    await make(held, name)
    for (let i = 0; i < 2; i++) await look(held)
  }
  expect((await madeOf(held)).said).toEqual(['It was not let go when later began.'])
})

test('nor is one that was made before the hold, however late somebody looks', async () => {
  const held = await heldAgain(60, 'early')
  await make(held, 'late', ago(60))
  for (let i = 0; i < 2; i++) await look(held)
  expect(await madeOf(held)).toEqual({ said: [], created: 2 })
})

test('one that was made later than now, by its cluster, has begun now', async () => {
  const held = await heldAgain(1)
  await make(held, 'late', ago(-5))
  for (let i = 0; i < 2; i++) await look(held)
  const { startedAt } = await db().machineProgress.findFirstOrThrow({ where: { ...ofHeld(held), machineName: 'late' } })
  expect(startedAt!.getTime()).toBeLessThan(Date.now() + 1_000)
})
