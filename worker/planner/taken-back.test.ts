import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, UNPAUSED } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { annotations, audited, expectHeld, failure, inputFor, stateOf } from '@/testenv/deciding'
import { fares, OLD } from '@/testenv/faring'
import type { Held } from '@/testenv/held'
import { ada, approvals, begins, bo, FROZEN, person, row, says, timedCluster } from '@/testenv/timed'
import { requireInTime } from '../gate/decisions'
import { goInTime, holdToTimes } from './times'
import { sayUnpaused } from './unpaused'

useTestDatabase()
const { at, view, look, slow } = timedCluster()
const SETS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinesets' }

describe('taken back after it was let go', () => {
  const id = ({ change }: Held) => ({ changeId: change.id })

  test('nothing more begins at once, its group is held again, and it waits for people; what others said stands', async () => {
    const held = await slow()
    await says(held, { approvals: 2 })
    await approveChange(bo, inputFor(held))
    await approveChange(ada, inputFor(held))
    await look(held)
    await withdrawApproval(ada, id(held))
    expect(await row(held)).toMatchObject({ pausedBy: 'Ada', pausedUntilHeld: true })
    expect((await failure(requireInTime(await row(held), {}))).message).toContain('Ada took the approval back')
    expect((await failure(resumeChange(bo, id(held)))).message).toContain('It is being held again')
    expect((await failure(pauseChange(person('op', 'operator'), id(held)))).code).toBe('conflict')
    await holdToTimes(await view())
    expect((await annotations(held))[HELD]).toBe('Stopped by Drydock: not now: Ada took the approval back')
    await look(held)
    const now = { state: 'waiting', dueMode: null, pausedBy: null, pausedAt: null, pausedUntilHeld: false }
    expect(await row(held)).toMatchObject(now)
    expect(await approvals(held)).toEqual(['bo', 'ada withdrawn'])
    expect((await db().approval.findFirstOrThrow({ where: { actorId: 'bo', ...id(held) } })).begun).toBe(false)
    await goInTime(await view())
    await expectHeld(held)
    expect(await audited(held)).toEqual(expect.arrayContaining(['approval.withdrawn ok', 'change.stopped ok']))
    await approveChange(ada, inputFor(held))
    expect(await stateOf(held)).toBe('approved')
  })

  test('more had approved it than were asked: it waits until somebody approves it once more, and the object says no other', async () => {
    const [held, cy] = [await slow(), person('cy')]
    await says(held, { approvals: 2 })
    const { id: freeze } = await says(held, FROZEN)
    for (const who of [ada, bo, cy]) await approveChange(who, inputFor(held))
    await db().rolloutPolicy.delete({ where: { id: freeze } })
    await goInTime(await view())
    await look(held)
    await withdrawApproval(cy, id(held))
    await holdToTimes(await view())
    await look(held)
    expect(await approvals(held)).toEqual(['ada', 'bo', 'cy withdrawn'])
    await goInTime(await view())
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
    const { policy } = await getUpdate(bo, held.change.id)
    expect(policy).toMatchObject({ ways: { replace: { needed: 2, missing: 0 } } })
    await db().group.update({ where: { id: held.change.groupId }, data: { held: (await annotations(held))[HELD]! } })
    await sayUnpaused(await view())
    expect((await annotations(held))[HELD]).toBe(UNPAUSED)
    await approveChange(bo, inputFor(held))
    expect(await stateOf(held)).toBe('approved')
  })

  test('a machine begins in that moment: nothing that was said for it counts for the rest', async () => {
    const held = await slow()
    await says(held, { approvals: 2 })
    await approveChange(bo, inputFor(held))
    await approveChange(ada, inputFor(held))
    await look(held)
    await withdrawApproval(ada, id(held))
    await begins(held)
    await holdToTimes(await view())
    await look(held)
    const now = { state: 'waiting', dueMode: null, pausedBy: null, pausedAt: null, pausedUntilHeld: false }
    expect(await row(held)).toMatchObject(now)
    expect(await approvals(held)).toEqual(['bo void', 'ada withdrawn'])
    // It did begin by it.
    expect((await db().approval.findFirstOrThrow({ where: { actorId: 'bo', ...id(held) } })).begun).toBe(true)
    const { fingerprint } = await row(held)
    await approveChange(ada, { ...inputFor(held), fingerprint })
    await goInTime(await view())
    await expectHeld(held)
    await approveChange(bo, { ...inputFor(held), fingerprint })
    expect(await stateOf(held)).toBe('approved')
  })

  test('a pause by somebody is held first, and stays', async () => {
    const held = await slow()
    await approveChange(ada, inputFor(held))
    await look(held)
    await pauseChange(person('op', 'operator'), id(held))
    expect((await failure(withdrawApproval(ada, id(held)))).message).toContain('Op has paused it')
    await holdToTimes(await view())
    await look(held)
    await withdrawApproval(ada, id(held))
    await resumeChange(bo, id(held))
    await goInTime(await view())
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
  })

  test('held again in the middle, it is too late; for what is said of the rest since then it is not', async () => {
    const held = await slow()
    await approveChange(ada, inputFor(held))
    await look(held)
    const moved = { machineId: randomUUID(), machineName: 'm-1', state: 'done', startedAt: new Date() }
    await db().machineProgress.create({ data: { ...id(held), ...moved } })
    await pauseChange(person('op', 'operator'), id(held))
    await holdToTimes(await view())
    await look(held)
    const shown = async () => {
      const { policy } = await getUpdate(ada, held.change.id)
      if (!policy || 'problem' in policy) throw new Error('its policy is not known')
      return policy.approvals.flatMap(({ endedAt, takeBack }) => (endedAt ? [] : [takeBack]))
    }
    expect(await shown()).toEqual([null])
    const late = await failure(withdrawApproval(ada, id(held)))
    expect([late.code, late.message, late.more.hint]).toEqual([
      'conflict',
      'A machine has begun: the approval cannot be taken back any more.',
      'Reject the rest instead: it stays as it is.',
    ])
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace', pausedBy: 'Op' })
    await db().approval.updateMany({ where: id(held), data: { begun: false, decisionId: null } })
    await db().change.update({ where: { id: held.change.id }, data: { dueMode: null } })
    expect(await shown()).toEqual(['plain'])
    await withdrawApproval(ada, id(held))
    expect(await approvals(held)).toEqual(['ada withdrawn'])
  })

  test('gone on with after that, it is not told to be rejected, which is refused there', async () => {
    const held = await slow()
    await approveChange(ada, inputFor(held))
    await look(held)
    const moved = { machineId: randomUUID(), machineName: 'm-1', state: 'done', startedAt: new Date() }
    await db().machineProgress.create({ data: { ...id(held), ...moved } })
    await pauseChange(bo, id(held))
    await holdToTimes(await view())
    await look(held)
    await resumeChange(bo, id(held))
    expect(await stateOf(held)).toBe('approved')
    const { more } = await failure(withdrawApproval(ada, id(held)))
    expect(more.hint).toBe('Pause it instead: machines that have begun are finished, and the rest is held.')
    await pauseChange(ada, id(held))
  })

  test('that machines began by an approval which was rejected since does not keep a later one', async () => {
    const held = await slow()
    await approveChange(ada, inputFor(held))
    await look(held)
    const moved = { machineId: randomUUID(), machineName: 'm-1', state: 'done', startedAt: new Date() }
    await db().machineProgress.create({ data: { ...id(held), ...moved } })
    await pauseChange(person('op', 'operator'), id(held))
    await holdToTimes(await view())
    await look(held)
    await rejectChange(ada, { ...id(held), fingerprint: (await row(held)).fingerprint, reason: 'no more of it' })
    await look(held)
    const { fingerprint } = await row(held)
    await approveChange(bo, { ...inputFor(held), fingerprint })
    await db().machineProgress.updateMany({ where: id(held), data: { readyAt: new Date(), finishedAt: new Date() } })
    const { policy } = await getUpdate(bo, held.change.id)
    expect(policy).toMatchObject({ approvals: [{ takeBack: null }, { takeBack: 'holds' }] })
    await withdrawApproval(bo, id(held))
    expect(await row(held)).toMatchObject({ pausedBy: 'Bo', pausedUntilHeld: true })
    await holdToTimes(await view())
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', pausedAt: null })
  })

  test('nor does the deletion of a machine that was to be updated in place, and had not begun', async () => {
    const held = await slow()
    const [set] = (await at.cluster.admin.list(SETS, held.namespace)).items
    await approveChange(ada, inputFor(held))
    await look(held)
    await db().decision.updateMany({ where: id(held), data: { mode: 'in-place' } })
    await db().machineProgress.deleteMany({ where: id(held) })
    const old = { upToDate: false, verdict: 'in-place', machineSet: set!.metadata.name, createdAt: new Date(0) }
    const deleted = { ready: false, state: 'deleting', deleting: true }
    await fares(held, 'ill', { ...OLD, state: 'waiting', startedAt: null }, { ...old, ...deleted })
    await look(held)
    await db().machine.deleteMany({ where: { name: 'ill' } })
    await look(held)
    expect(await db().machineProgress.findFirst({ where: { ...id(held), machineName: 'ill' } })).toMatchObject({
      ...{ state: 'deleted', startedAt: null },
    })
    await withdrawApproval(ada, id(held))
    expect(await row(held)).toMatchObject({ pausedUntilHeld: true })
  })

  test('while its cluster is being disconnected it is refused, as a pause is: no worker would hold the group again', async () => {
    const held = await slow()
    await approveChange(ada, inputFor(held))
    await look(held)
    const where = { id: at.clusterId }
    const { state } = await db().managementCluster.findUniqueOrThrow({ where })
    await db().managementCluster.update({ where, data: { state: 'disconnected' } })
    const refused = { code: 'conflict', message: 'm is disconnected: nothing can be changed there.' }
    expect(await failure(pauseChange(bo, id(held)))).toMatchObject(refused)
    const takingBack = await failure(withdrawApproval(ada, id(held))).finally(() =>
      db().managementCluster.update({ where, data: { state } }),
    )
    expect(takingBack).toMatchObject(refused)
    expect(await row(held)).toMatchObject({ state: 'running', pausedUntilHeld: false })
    expect(await approvals(held)).toEqual(['ada'])
    expect(await audited(held)).not.toContain('approval.withdrawn ok')
  })

  test('is not approved anew before it is held', async () => {
    const held = await slow()
    await approveChange(ada, inputFor(held))
    await withdrawApproval(ada, id(held))
    expect((await failure(approveChange(bo, inputFor(held)))).message).toContain('Somebody was faster')
    await holdToTimes(await view())
    await look(held)
    expect(await stateOf(held)).toBe('waiting')
  })
})
