import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED, PENDING_BEFORE } from '@/lib/domain/latch/names'
import { recordAudit } from '@/lib/services/audit/record'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { systemCtx } from '@/lib/services/context'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { annotations, audited, expectHeld, failure, inputFor, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { newestOf, reconnected } from '@/testenv/reconnected'
import { ada, bo, FROZEN, lifted, row, says, timedCluster } from '@/testenv/timed'
import { heldWords } from '@/components/updates/held-words'
import { stopFailing } from './failures'
import { holdToTimes } from './times'

useTestDatabase()
const { view, look, slow, running } = timedCluster()

const free = async (held: Held) =>
  (await view()).client.patch(MD, held.name, held.namespace, 'merge', {
    metadata: { annotations: { [PAUSED]: null, [HELD]: null } },
  })

/** Its rows go with the connection, and the same objects are read again: as a change of its own. */
async function again(held: Held, how: Parameters<typeof reconnected>[1] = {}): Promise<Held> {
  await reconnected(held, how)
  await look(held)
  const { change } = await newestOf(held)
  expect(change.id).not.toBe(held.change.id)
  return { ...held, change }
}
const shown = async (held: Held) => getUpdate(ada, held.change.id)

test('what goes on as it was approved replacing says who had approved it, and can be paused; a freeze of now holds it', async () => {
  let held = await running()
  // Also connected more than once.
  for (const _time of [1, 2]) {
    held = await again(held)
    expect(await stateOf(held)).toBe('running')
    expect(await audited(held)).toEqual(['change.left ok'])
    const page = await shown(held)
    expect(page).toMatchObject({ unapproved: 'left', letGoBefore: { name: 'Ada', mode: 'replace', stood: true } })
    expect(heldWords(page)).toBe('Ada approved it replacing before its cluster was disconnected, and that let it go.')
  }
  await holdToTimes(await view())
  expect(await annotations(held)).not.toHaveProperty([HELD])
  await says(held, FROZEN)
  await holdToTimes(await view())
  await expectHeld(held)
  await lifted()
})

test('what goes on so is told, once each time it is connected again', async () => {
  await db().webhook.create({ data: { sealed: Buffer.from('x'), keyId: 'k', host: 'h', hasToken: false, setBy: 'x' } })
  const held = await again(await running())
  await look(held)
  const messages = (await db().message.findMany()).filter(({ body }) => JSON.stringify(body).includes(held.change.id))
  expect(messages).toMatchObject([{ kind: 'goes-on' }])
  await db().webhook.deleteMany()
})

test('by whatever clock its cluster is disconnected, what stood then stood', async () => {
  const held = await again(await running(), { aheadMs: 600_000 })
  expect(await audited(held)).toEqual(['change.left ok'])
})

test('what let it go and was over a moment before the disconnect did not stand', async () => {
  const before = await running()
  await db().decision.updateMany({ where: { changeId: before.change.id }, data: { state: 'voided' } })
  const held = await again(before)
  expect(await audited(held)).toEqual(['change.not-held ok'])
  expect(await shown(held)).toMatchObject({ letGoBefore: { name: 'Ada', stood: false } })
})

test('what goes on so stops by itself where as many failed as its policy says', async () => {
  const held = await again(await running())
  const failed = { state: 'failed', startedAt: new Date(), failedAt: new Date(), failedWhy: 'not Ready in time' }
  const machine = { machineId: randomUUID(), machineName: 'm-1' }
  await db().machineProgress.create({ data: { changeId: held.change.id, ...machine, ...failed } })
  await says(held, { stopsAt: 1 })
  await stopFailing(await view())
  expect((await row(held)).stoppedAt).not.toBeNull()
  await holdToTimes(await view())
  await expectHeld(held)
  await lifted()
})

test('what was approved in place goes on with an approval that stands no more, and is said to', async () => {
  const before = await running()
  await db().decision.updateMany({ where: { changeId: before.change.id }, data: { mode: 'in-place' } })
  const held = await again(before)
  expect(await audited(held)).toEqual(['change.left ok'])
  expect(await shown(held)).toMatchObject({ unapproved: 'left', letGoBefore: { name: 'Ada', mode: 'in-place' } })
  // Nothing holds it by itself; a person can.
  await holdToTimes(await view())
  expect(await annotations(held)).not.toHaveProperty([HELD])
  await pauseChange(bo, { changeId: held.change.id })
  await holdToTimes(await view())
  await expectHeld(held)
})

test('a pause by a person is kept: the approval alone is not enough', async () => {
  const before = await running()
  await pauseChange(bo, { changeId: before.change.id, reason: 'pager' })
  await holdToTimes(await view())
  await look(before)
  await expectHeld(before)
  const held = await again(before)
  expect(await row(held)).toMatchObject({ state: 'waiting', pausedBy: 'Bo', pausedReason: 'pager' })
  expect(heldWords(await shown(held))).toMatch(/^Drydock holds it again after it had been let go: .*Bo/)
  const said = async () => (await shown(held)).timeline.map(({ text }) => text).filter((text) => text.startsWith('Bo '))
  const paused = 'Bo paused it before its cluster was disconnected: pager'
  expect(await said()).toEqual([paused])
  await approveChange(ada, inputFor(held))
  await expectHeld(held)
  await resumeChange(bo, { changeId: held.change.id })
  expect(await annotations(held)).not.toHaveProperty(HELD)
  expect(await said()).toEqual([paused, 'Bo resumed it'])
})

test('a rejection is kept, with who and why, however often it is connected again', async () => {
  let held = await slow()
  await look(held)
  const seenAt = held.change.detectedAt.toISOString()
  await rejectChange(bo, { changeId: held.change.id, fingerprint: held.change.fingerprint, reason: 'never' })
  const { recordedAt } = await db().decision.findFirstOrThrow({ where: { changeId: held.change.id } })
  for (const _time of [1, 2]) {
    const from = held.change.id
    held = await again(held)
    expect(await stateOf(held)).toBe('rejected')
    const { decision, continues } = await shown(held)
    expect(continues).toEqual({ id: from, seenAt })
    expect(decision).toMatchObject({
      mode: 'reject',
      actorName: 'Bo',
      reason: 'never',
      recordedAt: recordedAt.toISOString(),
    })
    await look(held)
    expect(await stateOf(held)).toBe('rejected')
    await expectHeld(held)
  }
  const [waits] = await db().auditEvent.findMany({ where: { targetId: held.change.id } })
  expect(waits?.reason).toContain('rejected by Bo: never, before its cluster was disconnected')
  await approveChange(ada, inputFor(held))
  expect(await annotations(held)).not.toHaveProperty([HELD])
})

test.each([true, false])(
  'a rejection that was seen before: %s, and whose hold is taken away since, is told as moving',
  async (seen) => {
    const before = await slow()
    await look(before)
    const { id: changeId, fingerprint } = before.change
    await rejectChange(bo, { changeId, fingerprint, reason: 'never' })
    if (seen) await look(before)
    const held = await again(before)
    expect(await stateOf(held)).toBe('rejected')
    await free(held)
    for (const _time of [1, 2, 3]) await look(held)
    expect(await stateOf(held)).toBe('running')
    expect(await audited(held)).toContain('change.let-go ok')
  },
)

test('a rejection whose hold was taken away while nobody looked is to be decided anew; what waits behind a pause is held', async () => {
  const before = await slow()
  await look(before)
  const { id: changeId, fingerprint } = before.change
  await rejectChange(bo, { changeId, fingerprint, reason: 'never' })
  await look(before)
  const own = { metadata: { annotations: { [HELD]: null, [PAUSED]: 'mine' } } }
  const meanwhile = async () => {
    await (await view()).client.patch(MD, before.name, before.namespace, 'merge', own)
  }
  await db().managementCluster.update({ where: { id: before.change.clusterId }, data: { latchForm: 'policy' } })
  const held = await again(before, { meanwhile })
  expect(await stateOf(held)).toBe('waiting')
  const [waits] = await db().auditEvent.findMany({ where: { targetId: held.change.id } })
  expect(waits?.reason).toContain('rejected by Bo: never, before its cluster was disconnected, and its hold was taken')
  await look(held)
  await db().managementCluster.update({ where: { id: before.change.clusterId }, data: { latchForm: 'none' } })
  expect(await annotations(held)).toMatchObject({ [PAUSED]: 'mine', [HELD]: PENDING_BEFORE })
})

test('one that is paused and was not held yet is held, whatever had let it go', async () => {
  const before = await running()
  await pauseChange(bo, { changeId: before.change.id })
  const held = await again(before)
  expect(await row(held)).toMatchObject({ state: 'running', pausedBy: 'Bo' })
  await holdToTimes(await view())
  await expectHeld(held)
})

test('taken back before its group was held again: it is held now, and waits for people; nobody stands by it', async () => {
  const before = await running()
  await withdrawApproval(ada, { changeId: before.change.id })
  // Also where it is disconnected once more before it is held.
  let held = await again(await again(before))
  const changeId = held.change.id
  expect(await audited(held)).toEqual(['change.not-held ok'])
  const { reason } = await db().auditEvent.findFirstOrThrow({ where: { targetId: changeId } })
  expect(reason).toBe('Ada took the approval back, and its cluster was disconnected before its group was held again.')
  expect(await shown(held)).toMatchObject({ unapproved: 'never-held', letGoBefore: { name: 'Ada', stood: false } })
  expect((await failure(resumeChange(bo, { changeId }))).message).toContain('It is being held again')
  await holdToTimes(await view())
  expect((await annotations(held))[HELD]).toBe('Stopped by Drydock: not now: Ada took the approval back')
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'waiting', pausedAt: null, pausedUntilHeld: false })
  // Held by then, it only waits.
  held = await again(held)
  expect(await row(held)).toMatchObject({ state: 'waiting', pausedAt: null, pausedUntilHeld: false })
  await approveChange(ada, inputFor(held))
  expect(await annotations(held)).not.toHaveProperty([HELD])
})

test('stopped by itself, and not held yet: it stays stopped until somebody says that it goes on', async () => {
  const before = await running()
  const stop = { stoppedBy: 'p', stoppedWhy: '1 machine failed', stoppedAt: new Date() }
  await db().change.update({ where: { id: before.change.id }, data: stop })
  const held = await again(before)
  expect(await row(held)).toMatchObject({ state: 'running', ...stop })
  await holdToTimes(await view())
  await expectHeld(held)
  await look(held)
  await approveChange(ada, inputFor(held))
  await expectHeld(held)
  const accepted = { stoppedAt: stop.stoppedAt.toISOString(), reason: 'it is a spare', again: true, asDone: false }
  await acceptFailures(ada, { changeId: held.change.id, ...accepted })
  expect(await annotations(held)).not.toHaveProperty([HELD])
})

test('approved machine by machine: it is held, and waits for people, instead of going on with all of them', async () => {
  const before = await running()
  await db().change.update({ where: { id: before.change.id }, data: { steps: 1 } })
  const held = await again(before)
  expect(await audited(held)).toEqual(['change.left ok'])
  await holdToTimes(await view())
  expect((await annotations(held))[HELD]).toBe(
    'Stopped by Drydock: not now: Ada approved it machine by machine before its cluster was disconnected',
  )
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'waiting', pausedAt: null, pausedUntilHeld: false })
  await approveChange(ada, inputFor(held))
  expect(await annotations(held)).not.toHaveProperty([HELD])
})

test('a hold that was taken away stays known, while it moves and when somebody had it held again', async () => {
  const taken = async () => {
    const held = await slow()
    await look(held)
    await free(held)
    for (const _again of [1, 2, 3]) await look(held)
    expect(await stateOf(held)).toBe('running')
    return held
  }
  const moves = await again(await taken())
  expect(await audited(moves)).toEqual(['change.let-go ok'])
  expect(await shown(moves)).toMatchObject({ unapproved: 'taken', letGoOutside: true, letGoBefore: null })

  const before = await taken()
  await pauseChange(bo, { changeId: before.change.id })
  await holdToTimes(await view())
  await look(before)
  const held = await again(before)
  expect(await row(held)).toMatchObject({ state: 'waiting', pausedBy: 'Bo' })
  expect(heldWords(await shown(held))).toMatch(
    /^Its hold was taken away outside Drydock, and it went without an approval\. Drydock holds it again: paused by Bo/,
  )
})

test('what goes on so is held when the update gate is registered, and says why', async () => {
  const held = await again(await running())
  expect(await stateOf(held)).toBe('running')
  const { clusterId } = held.change
  const said = (latchForm: string, gateState: string) =>
    db().managementCluster.update({ where: { id: clusterId }, data: { latchForm, gateState } })
  await said('policy', 'registered')
  // A controller's write in between is read anew with the next look.
  for (let times = 0; times < 4 && !(await annotations(held))[HELD]; times++) await look(held)
  await look(held)
  await expectHeld(held)
  expect(await audited(held)).toContain('change.stopped ok')
  const words = (await annotations(held))[HELD]!
  await db().group.update({ where: { id: held.change.groupId }, data: { held: words } })
  expect(heldWords(await shown(held))).toMatch(
    /^Drydock stopped it after it had been let go: the update gate was registered while it was under way, and no approval of it is in force\./,
  )
  await said('none', 'none')
})

test('what moved by the disconnect is said to have, also where its hold had been taken away before', async () => {
  const before = await slow()
  await look(before)
  await recordAudit(db(), systemCtx('planner'), {
    ...{ action: 'change.let-go', target: { kind: before.change.groupKind, id: before.change.id, name: 'w' } },
    cluster: { id: before.change.clusterId, name: 'm' },
  })
  await free(before)
  const moves = [`${before.change.groupKind} ${before.namespace}/${before.name}`]
  const held = await again(before, { details: { moves }, aheadMs: 700_000 })
  expect(await audited(held)).toEqual(['change.let-go ok'])
  const { reason } = await db().auditEvent.findFirstOrThrow({ where: { targetId: held.change.id } })
  expect(reason).toBe(
    'drydock test disconnected its cluster, although it moved by that: its other hold had been taken away outside Drydock before.',
  )
  expect(await shown(held)).toMatchObject({ unapproved: 'disconnect' })

  const untaken = await slow()
  await look(untaken)
  await free(untaken)
  const went = [`${untaken.change.groupKind} ${untaken.namespace}/${untaken.name}`]
  const moving = await again(untaken, { details: { moves: went }, aheadMs: 700_000 })
  expect(await audited(moving)).toEqual(['change.not-held ok'])
  const there = await shown(moving)
  expect(there).toMatchObject({ unapproved: 'disconnect', movedBy: 'drydock test' })
  expect(heldWords(there)).toBe('drydock test disconnected its cluster, and it moved by that.')
})

test('what is another desired state continues nothing', async () => {
  const before = await running()
  await pauseChange(bo, { changeId: before.change.id })
  await db().change.update({ where: { id: before.change.id }, data: { digest: 'other' } })
  const held = await again(before)
  expect(await row(held)).toMatchObject({ pausedAt: null })
  expect(await audited(held)).toEqual(['change.not-held ok'])
})

test('a person’s pause of what goes on holds, whatever policies can be read', async () => {
  const held = await again(await running())
  await db().rolloutPolicy.create({ data: { id: randomUUID(), name: 'broken', spec: { select: 7 } } })
  await pauseChange(bo, { changeId: held.change.id, reason: 'pager' })
  await holdToTimes(await view())
  await expectHeld(held)
})
