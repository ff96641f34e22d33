import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { headlineOf, stateOf as chipOf, voidedWords, whyOf } from '@/components/updates/words'
import { db } from '@/lib/db/client'
import { workloadRows } from '@/lib/db/queries/fleet'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, UNPAUSED } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { waveBesides } from '@/lib/services/changes/wave-besides'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { getUpdate, listUpdates } from '@/lib/services/fleet/list-updates'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { listRuns } from '@/lib/services/waves/list-runs'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { annotations, expectHeld, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, approvals, bo, CLOSED, cy, decisions, lifted, row, says, timedCluster } from '@/testenv/timed'
import { goInTime } from './times'
import { sayUnpaused } from './unpaused'
import { placeInWaves } from './waves'

useTestDatabase()
const { at, view, look } = timedCluster()

const rejects = async (held: Held): Promise<void> => {
  const { id: changeId, fingerprint } = held.change
  await rejectChange(bo, { changeId, fingerprint, reason: 'no' })
  await look(held)
}
const approves = async (held: Held, who = ada): Promise<void> => {
  await approveChange(who, inputFor(held))
  await look(held)
}

/** As the list, and its page, say it. */
async function said(held: Held) {
  const { changes, standings } = await listUpdates(ada, { tab: 'waiting' })
  const change = changes.find(({ id }) => id === held.change.id)!
  const standing = standings[change.id]
  return {
    ...{ chip: chipOf(change, standing).words, why: whyOf(change, standing) },
    headline: headlineOf(change, null, standing ?? null),
  }
}

/** As the fleet counts its workload cluster, and what it says to approvers of what is held for long. */
async function inFleet(held: Held) {
  const { workloadCluster: workload, id, groupId, clusterId, namespace } = held.change
  await db().change.update({ where: { id }, data: { holdLevel: 1 } })
  await db().group.update({ where: { id: groupId }, data: { held: 'rejected by Bo: no' } })
  const its = { clusterId, namespace, name: workload, provider: 'cluster-api' }
  if ((await db().workloadCluster.count({ where: its })) === 0)
    await db().workloadCluster.create({ data: { id: randomUUID(), ...its } })
  const [counted] = await workloadRows({ workload }, null, 1)
  const need = (await needsYou(ada, { workload })).find((one) => one.id === id)
  return { held: counted?.held, rejected: counted?.rejected, need: need?.sentence }
}

const wouldGo = async (): Promise<void> => {
  await lifted()
  await goInTime(await view())
}

test('rejected, and approved after all outside its window: no list calls it rejected, for it goes by itself', async () => {
  const held = await at.held()
  await says(held, CLOSED)
  await rejects(held)
  expect((await said(held)).chip).toBe('Rejected by Bo')
  await approves(held)
  const words = await said(held)
  expect(words.chip).toMatch(/^Approved/)
  expect(words.why).not.toContain('no')
  expect(words.headline).not.toContain('rejected')
  expect(await inFleet(held)).toMatchObject({ held: 1, rejected: 0, need: expect.stringMatching(/Approved, /) })
  const detail = await getUpdate(ada, held.change.id)
  expect(detail.decisions.map((one) => voidedWords(detail, one))).toEqual(['void: approved after all'])
  await wouldGo()
  expect(await stateOf(held)).toBe('approved')
  expect((await decisions(held)).map(({ mode, state }) => `${mode} ${state}`)).toEqual([
    'reject voided',
    'replace accepted',
  ])
})

test('one of two has approved what was rejected: it stays so, and does not go; the second makes it due', async () => {
  const held = await at.held()
  await says(held, { ...CLOSED, approvals: 2 })
  await rejects(held)
  await approves(held)
  expect(await said(held)).toMatchObject({ chip: 'Rejected by Bo, 1 of 2 approvals since', why: '“no”' })
  expect(await inFleet(held)).toMatchObject({ held: 0, rejected: 1 })
  await approves(held, cy)
  expect((await said(held)).chip).toMatch(/^Approved/)
  await wouldGo()
  expect(await stateOf(held)).toBe('approved')
})

test('approved after all, and that taken back: it waits for approvals, and does not go when its time comes', async () => {
  const held = await at.held()
  await says(held, { ...CLOSED, approvals: 1 })
  await rejects(held)
  await approves(held)
  await withdrawApproval(ada, { changeId: held.change.id })
  await look(held)
  expect((await said(held)).chip).toMatch(/approval/i)
  await lifted()
  await says(held, { approvals: 0 })
  await look(held)
  await goInTime(await view())
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
  await expectHeld(held)
})

test('approved after all, its time comes, and it is taken back before it went: the object never says that it is approved', async () => {
  const held = await at.held()
  await says(held, CLOSED)
  await rejects(held)
  const words = async () => (await annotations(held))[HELD]
  await approveChange(ada, inputFor(held))
  await lifted()
  await look(held)
  // It goes in a moment.
  expect(await words()).toBe('rejected by Bo: no')
  await withdrawApproval(ada, { changeId: held.change.id })
  await goInTime(await view())
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
  expect(await words()).toBe(UNPAUSED)
})

test('approved after all for its time, and that taken back: the object says that it waits for approval', async () => {
  const held = await at.held()
  await says(held, { ...CLOSED, approvals: 1 })
  await rejects(held)
  await approves(held)
  const words = async () => (await annotations(held))[HELD]
  expect(await words()).toMatch(/^Stopped by Drydock: not now: outside /)
  await withdrawApproval(ada, { changeId: held.change.id })
  await goInTime(await view())
  await db().group.update({ where: { id: held.change.groupId }, data: { held: (await words()) ?? null } })
  await sayUnpaused(await view())
  expect(await words()).toBe(UNPAUSED)
})

test('a rejection that failed, and was stored all the same, ends no approval that came after it', async () => {
  const held = await at.held()
  await says(held, CLOSED)
  const { id: changeId, fingerprint } = held.change
  const { id } = await rejectChange(bo, { changeId, fingerprint, reason: 'no' })
  await db().decision.update({ where: { id }, data: { state: 'failed', acceptedAt: null, error: 'no answer' } })
  await db().change.update({ where: { id: changeId }, data: { state: 'waiting' } })
  await approves(held)
  await look(held)
  expect(await approvals(held)).toEqual(['ada'])
  expect((await said(held)).chip).toMatch(/^Approved/)
  await wouldGo()
  expect(await stateOf(held)).toBe('approved')
})

test('approved after all while its waves are stopped: the run and the sheet that lets them go on name it as that', async () => {
  const held = await at.held()
  const { id: policyId } = await says(held, { waves: [{ name: 'a' }] })
  await placeInWaves(await view())
  const { wish } = await row(held)
  await stopWaves(ada, { policyId, wish, reason: 'outage' })
  await rejects(held)
  await approves(held)
  await placeInWaves(await view())
  await goInTime(await view())
  await expectHeld(held)
  expect(JSON.stringify(await listRuns(ada))).not.toContain('(rejected)')
  const { groups } = await waveBesides(ada, { policyId, wish, wave: '', what: 'resume' })
  expect(groups).toMatchObject([{ goes: true }])
  await resumeWaves(ada, { policyId, wish })
  await placeInWaves(await view())
  await goInTime(await view())
  expect(await stateOf(held)).toBe('approved')
})
