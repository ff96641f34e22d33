import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, failure, inputFor } from '@/testenv/deciding'
import { machinesSeen, planeRows, said, saysOf } from '@/testenv/plane'
import { ada, bo, CLOSED, lifted, row, says, timedCluster } from '@/testenv/timed'
import type { Held } from '@/testenv/held'
import { requireInTime } from '@/worker/gate/decisions'
import { requireSpare } from '@/worker/gate/etcd'
import { takeStep } from '@/worker/gate/step'
import type { Subject } from '@/worker/gate/subject'
import { holdSteps } from '@/worker/planner/steps'
import { getUpdate } from '../fleet/list-updates'
import { needsYou } from '../fleet/needs-you'
import { dropForetold } from '../forecast/foretell'
import { approveChange } from './approve-change'
import { getChange } from './get-change'
import { nextMachine } from './next-machine'
import { overrideTimes } from './override-times'
import { pauseChange } from './pause-change'
import { withdrawApproval } from './withdraw-approval'
import { rejectChange } from './reject-change'
import { resumeChange } from './resume-change'
import { throughNow } from './steps'

useTestDatabase()
const { at, view } = timedCluster()

/** A control plane of three; approved so, nothing has been sent. */
async function plane(state: object = {}): Promise<{ held: Held; ids: string[] }> {
  const held = await at.held('KubeadmControlPlane')
  const ids = await planeRows(held, ['a', 'b', 'c'])
  await db().change.update({ where: { id: held.change.id }, data: { machines: 3, ...state } })
  return { held, ids }
}
async function letGo(held: Held, mode: 'in-place' | 'replace'): Promise<void> {
  const { id: changeId, fingerprint } = held.change
  await db().change.update({ where: { id: changeId }, data: { state: 'running' } })
  await db().decision.create({
    data: { changeId, fingerprint, mode, actorId: 'ada', actorName: 'Ada', state: 'accepted', acceptedAt: new Date() },
  })
}
const progress = (held: Held, machineId: string, data: object) =>
  db().machineProgress.create({
    data: { changeId: held.change.id, machineId, machineName: 'm', state: 'waiting', predicted: 'in-place', ...data },
  })
const asked = async (held: Held, machine: string | null) =>
  takeStep(await row(held), { changeId: held.change.id, group: 'g', machine })
/** Kept for its time. */
async function approveLater(held: Held): Promise<void> {
  await says(held, CLOSED)
  await approveChange(ada, { ...inputFor(held), typedName: held.name, oneByOne: true })
}
const waits = { steps: 1, stepsDone: 1, stepWaitsAt: new Date() }
const next = (held: Held, more: object = {}) => ({ changeId: held.change.id, done: 1, all: false, ...more })

describe('approved machine by machine', () => {
  test('it is kept with the approval and in the audit; of workers it is refused', async () => {
    const { held } = await plane()
    await approveLater(held)
    expect(await row(held)).toMatchObject({ steps: 1, stepWaitsAt: null, dueMode: 'replace' })
    expect(await db().approval.findFirst({ where: { changeId: held.change.id } })).toMatchObject({ oneByOne: true })
    const event = await db().auditEvent.findFirstOrThrow({ where: { targetId: held.change.id } })
    expect(event.details).toMatchObject({ oneByOne: true })
    const workers = await at.held()
    const refused = await failure(approveChange(ada, { ...inputFor(workers), oneByOne: true }))
    expect(refused).toMatchObject({ code: 'invalid', message: 'Only control planes go machine by machine.' })
    await lifted()
  })

  test('of several who approve it, one who wants it so is enough; rejected, it is over', async () => {
    const { held } = await plane()
    await says(held, { ...CLOSED, approvals: 2 })
    const { id: changeId, fingerprint } = held.change
    await approveChange(ada, { ...inputFor(held), typedName: held.name, oneByOne: true })
    expect((await row(held)).steps).toBeNull()
    expect((await getUpdate(bo, changeId)).policy).toMatchObject({ approvals: [{ mine: false, oneByOne: true }] })
    await approveChange(bo, { ...inputFor(held), typedName: held.name })
    expect((await row(held)).steps).toBe(1)
    await rejectChange(ada, { changeId, fingerprint })
    expect(await row(held)).toMatchObject({ steps: null, stepWaitsAt: null, stepMachine: null })
  })

  test('nor is it, once whoever wanted it so takes that back', async () => {
    const { held } = await plane()
    await says(held, { ...CLOSED, approvals: 2 })
    await approveChange(ada, { ...inputFor(held), typedName: held.name, oneByOne: true })
    await approveChange(bo, { ...inputFor(held), typedName: held.name })
    await withdrawApproval(bo, { changeId: held.change.id })
    expect((await row(held)).steps).toBe(1)
    await withdrawApproval(ada, { changeId: held.change.id })
    expect((await row(held)).steps).toBeNull()
    await lifted()
  })
})

describe('what the gate says', () => {
  test('the first that is asked about is the one of this step, of two at once only one', async () => {
    const { held } = await plane({ steps: 1 })
    const two = await Promise.allSettled([asked(held, 'a'), asked(held, 'b')])
    expect(two.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const { stepMachine } = await row(held)
    await asked(held, stepMachine)
    const other = stepMachine === 'a' ? 'b' : 'a'
    expect((await failure(asked(held, other))).message).toContain('one machine at a time, as approved')
    expect((await failure(asked(held, null))).message).toContain('names none')
    await db().change.update({ where: { id: held.change.id }, data: { steps: null } })
    await asked(held, other)
  })

  test.each([
    ['nothing came of it for a minute: another one may', {}, 90, true],
    ['nothing came of it yet', {}, 30, false],
    ['it is being updated', { updating: true }, 90, false],
    ['it goes', { deleting: true }, 90, false],
    ['it is through', { upToDate: true }, 90, false],
    ['what came of it was not seen: the watch of machines is down', {}, 90, false, 60],
  ])('%s', async (_, is, seconds, free, unseen = 0) => {
    const stepGrantedAt = new Date(Date.now() - seconds * 1000)
    const { held, ids } = await plane({ steps: 1, stepMachine: 'a', stepGrantedAt })
    await db().machine.update({ where: { id: ids[0]! }, data: is })
    await machinesSeen(held.change.clusterId, unseen)
    const answer = await asked(held, 'b').then(
      () => true,
      () => false,
    )
    expect(answer).toBe(free)
  })

  test('of one that has begun nobody says that nothing came of it, whatever its row says by now', async () => {
    const { held, ids } = await plane({ steps: 1, stepMachine: 'a', stepGrantedAt: new Date(Date.now() - 90_000) })
    await progress(held, ids[0]!, { state: 'updating', startedAt: new Date() })
    await expect(asked(held, 'b')).rejects.toThrow('one machine at a time')
  })

  test('one that was replaced without a question counts: no other one is let go beside it', async () => {
    const { held, ids } = await plane({ steps: 1 })
    const [a, b] = ids as [string, string, string]
    await letGo(held, 'replace')
    await progress(held, a, { predicted: 'replace', state: 'deleted', startedAt: new Date() })
    await db().machine.delete({ where: { id: a } })
    // It is gone, and nothing is there in its place yet.
    await asked(held, 'b')
    await db().machine.update({ where: { id: b }, data: { name: 'd', createdAt: new Date(), upToDate: true } })
    await progress(held, b, { predicted: null, state: 'created' })
    // Whoever has the step goes on with it.
    await asked(held, 'b')
    await db().change.update({ where: { id: held.change.id }, data: { stepMachine: null } })
    await expect(asked(held, 'c')).rejects.toThrow('one machine at a time')
    await db().change.update({ where: { id: held.change.id }, data: { steps: 2 } })
    await asked(held, 'c')
  })

  test('while it waits, nothing, not even the same machine', async () => {
    const { held } = await plane({ ...waits, stepMachine: 'a' })
    await expect(asked(held, 'a')).rejects.toThrow('one machine at a time')
    const words = '1 of 3 machines, as approved; the next one waits for somebody'
    expect((await failure(requireInTime(await row(held), {}))).message).toBe(words)
  })
})

describe('how many were dealt with', () => {
  test('updated and Ready; or gone past its hook, with one made in its place', async () => {
    const { held, ids } = await plane({ steps: 1 })
    const [a, b, c] = ids as [string, string, string]
    const set = (id: string, data: object) => db().machine.update({ where: { id }, data })
    const through = (early = true) => throughNow(db(), held.change, early)
    await progress(held, a, { state: 'done', startedAt: new Date() })
    expect(await through()).toBe(0)
    await set(a, { upToDate: true, ready: false })
    expect(await through()).toBe(0)
    await set(a, { ready: true })
    expect(await through()).toBe(1)
    await progress(held, b, { predicted: 'replace' })
    const goes = (hook: boolean) => ({ parts: [], node: 'ready', hook })
    await set(b, { deleting: true, plane: goes(true) })
    await progress(held, c, { predicted: null, state: 'created' })
    await set(c, { ready: false })
    expect(await through()).toBe(1)
    await set(b, { plane: goes(false) })
    expect([await through(), await through(false)]).toEqual([2, 1])
    await db().machine.delete({ where: { id: b } })
    expect(await through()).toBe(2)
    await set(c, { ready: true })
    expect(await through(false)).toBe(2)
    // What was there before, and is what is wanted, takes nobody's place; what was made since does at once.
    await db().machineProgress.updateMany({ where: { machineId: c }, data: { state: 'done' } })
    expect(await through()).toBe(1)
    const [unseen] = await planeRows(held, ['d'])
    expect(await through()).toBe(1)
    await letGo(held, 'replace')
    expect(await through()).toBe(1)
    await set(unseen!, { createdAt: new Date() })
    expect([await through(), await through(false)]).toEqual([2, 2])
  })

  test.each(['in-place', 'replace'] as const)(
    '%s, and nothing is foretold: those that are there count',
    async (way) => {
      const { held, ids } = await plane({ steps: 1 })
      const [a, b, c] = ids as [string, string, string]
      for (const id of ids) await progress(held, id, { predicted: null })
      await db().machine.update({ where: { id: c }, data: { deleting: true } })
      await dropForetold(db(), held.change.id, way)
      const through = () => throughNow(db(), held.change, true)
      const [made] = await planeRows(held, ['d'])
      await progress(held, made!, { predicted: null, state: 'created' })
      expect(await through()).toBe(0)
      // Between two looks, and whoever deleted it; one that went before it was approved is none of them.
      await db().machine.deleteMany({ where: { id: { in: [a, c] } } })
      await planeRows(held, ['e']).then(([id]) => progress(held, id!, { predicted: null, state: 'created' }))
      expect(await through()).toBe(1)
      const of = { changeId: held.change.id, machineId: { in: [a, c] } }
      await db().machineProgress.updateMany({ where: of, data: { state: 'deleted', startedAt: new Date() } })
      expect(await through()).toBe(1)
      await db().machine.update({ where: { id: b }, data: { upToDate: true } })
      await db().machineProgress.updateMany({ where: { machineId: b }, data: { state: 'done', startedAt: new Date() } })
      expect(await through()).toBe(2)
    },
  )

  test('done, it waits for somebody and is held; not the last one', async () => {
    const { held, ids } = await plane({ steps: 1 })
    await letGo(held, 'in-place')
    await progress(held, ids[0]!, { state: 'done', startedAt: new Date() })
    await holdSteps(await view())
    expect((await row(held)).stepWaitsAt).toBeNull()
    await db().machine.update({ where: { id: ids[0]! }, data: { upToDate: true } })
    await holdSteps(await view())
    expect(await row(held)).toMatchObject({ stepsDone: 1, stepWaitsAt: expect.any(Date) as Date })
    expect(await db().decision.findFirst({ where: { changeId: held.change.id } })).toMatchObject({ awaitsTime: true })
    await db().change.update({ where: { id: held.change.id }, data: { stepWaitsAt: null, machines: 1 } })
    await holdSteps(await view())
    expect((await row(held)).stepWaitsAt).toBeNull()
  })
})

describe('in place with a spare', () => {
  const SPARED = {
    counts: { 'in-place-with-spare': 1 },
    created: 0,
    deleted: 1,
    removed: 1,
    forSpares: 1,
    headline: '',
  }
  /** Two of three are updated, the spare is there, and two were let go. */
  async function twoUpdated(mode: 'in-place' | 'replace') {
    const outlook = { inPlace: SPARED, replace: { ...SPARED, counts: {} }, uncovered: [] }
    const { held, ids } = await plane({ steps: 2, outlook })
    await letGo(held, mode)
    for (const id of ids.slice(0, 2)) {
      await progress(held, id, { state: 'done', startedAt: new Date() })
      await db().machine.update({ where: { id }, data: { upToDate: true } })
    }
    await progress(held, ids[2]!, {})
    const [spare] = await planeRows(held, ['spare'])
    await db().machine.update({ where: { id: spare! }, data: { upToDate: true, createdAt: new Date() } })
    return { held, spare: spare! }
  }

  test('nobody is waited for where only that is left for which it is there: it is deleted with the one before it', async () => {
    const { held } = await twoUpdated('in-place')
    await holdSteps(await view())
    expect((await row(held)).stepWaitsAt).toBeNull()
    // In place nothing more of it begins.
    await db().change.update({ where: { id: held.change.id }, data: { stepMachine: 'b', stepGrantedAt: new Date() } })
    await expect(asked(held, 'c')).rejects.toThrow('one machine at a time')
  })

  test.each(['the spare is gone', 'it was approved replacing'])('somebody is, where %s', async (what) => {
    const { held, spare } = await twoUpdated(what === 'the spare is gone' ? 'in-place' : 'replace')
    if (what === 'the spare is gone') await db().machine.delete({ where: { id: spare } })
    await holdSteps(await view())
    expect(await row(held)).toMatchObject({ stepsDone: 2, stepWaitsAt: expect.any(Date) as Date })
  })
})

describe('the next one', () => {
  test('needs an approver, who sees where it stands, and is on record', async () => {
    const { held } = await plane({ ...waits, stepMachine: 'a' })
    for (const role of ['viewer', 'operator'] as const)
      expect(await failure(nextMachine(as(role), next(held)))).toMatchObject({ code: 'forbidden' })
    expect(await failure(nextMachine(ada, next(held, { done: 0 })))).toMatchObject({ code: 'conflict' })
    // What was old is not, once it has gone on.
    await db().change.update({ where: { id: held.change.id }, data: { holdLevel: 3 } })
    await nextMachine(ada, next(held))
    expect(await row(held)).toMatchObject({ steps: 2, stepWaitsAt: null, stepMachine: null, holdLevel: 0 })
    expect(await failure(nextMachine(bo, next(held)))).toMatchObject({ code: 'conflict' })
    const event = await db().auditEvent.findFirstOrThrow({ where: { action: 'change.next-machine' } })
    expect(event).toMatchObject({ actorName: 'Ada', targetId: held.change.id, details: { done: '1 of 3' } })
  })

  test('where etcd has no quorum then, or a member is not well, by whoever types its name', async () => {
    const { held, ids } = await plane(waits)
    await db().machine.deleteMany({ where: { id: { in: ids.slice(1) } } })
    const typed = { typedName: held.name }
    const refused = await failure(nextMachine(ada, next(held)))
    expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'typedName' }] } })
    expect(refused.message).toContain('etcd is down then')
    expect(await row(held)).toMatchObject({ steps: 1 })
    await nextMachine(ada, next(held, typed))
    expect(await row(held)).toMatchObject({ steps: 2 })
    const other = await plane(waits)
    await saysOf(other.ids[0]!, said({ EtcdMemberHealthy: 'False' }))
    expect((await failure(nextMachine(ada, next(other.held, { all: true })))).message).toContain('is not healthy')
  })

  test('is waited for also while another member is ill, of which the gate lets none begin all the same', async () => {
    const { held, ids } = await plane({ steps: 1 })
    await letGo(held, 'in-place')
    await progress(held, ids[0]!, { state: 'done', startedAt: new Date() })
    await db().machine.update({ where: { id: ids[0]! }, data: { upToDate: true } })
    await saysOf(ids[1]!, said({ EtcdMemberHealthy: 'False' }))
    await holdSteps(await view())
    expect(await row(held)).toMatchObject({ stepsDone: 1, stepWaitsAt: expect.any(Date) as Date })
    expect((await failure(nextMachine(ada, next(held)))).message).toMatch(/^Type .* is not healthy/)
    await nextMachine(ada, next(held, { typedName: held.name }))
    const { clusterId, groupId, groupKind: kind } = held.change
    const about = { changeId: held.change.id, group: 'g', machine: 'c' }
    await expect(
      requireSpare({ clusterId, groupId, kind, machine: 'c' } as Subject, { steps: 2 }, about),
    ).rejects.toThrow('etcd has no member to spare')
  })

  test('goes on after a pause by the same name; by a stop, or between two machines, a pause lets nothing go', async () => {
    const paused = { dueMode: 'in-place', pausedAt: new Date(), pausedBy: 'Bo', steps: 1 }
    const { held, ids } = await plane(paused)
    const { id: changeId } = held.change
    await saysOf(ids[0]!, said({ EtcdMemberHealthy: 'False' }))
    const refused = await failure(resumeChange(ada, { changeId }))
    expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'typedName' }] } })
    expect(await row(held)).toMatchObject({ pausedBy: 'Bo' })
    await resumeChange(ada, { changeId, typedName: held.name })
    expect(await row(held)).toMatchObject({ pausedAt: null })
    for (const is of [{ stoppedAt: new Date(), stoppedBy: 'p' }, waits, { state: 'running', dueMode: null }]) {
      await db().change.update({ where: { id: changeId }, data: { ...paused, ...is } })
      await resumeChange(ada, { changeId })
      await db().change.update({ where: { id: changeId }, data: { stoppedAt: null, stepWaitsAt: null } })
    }
    // Let go, and not held again yet: it goes on just so.
    await letGo(held, 'in-place')
    await db().change.update({ where: { id: changeId }, data: { ...paused, dueMode: null } })
    expect((await failure(resumeChange(ada, { changeId }))).code).toBe('invalid')
  })

  test('or all others', async () => {
    const { held } = await plane(waits)
    await nextMachine(ada, next(held, { all: true }))
    expect(await row(held)).toMatchObject({ steps: null, stepWaitsAt: null })
    expect(await db().auditEvent.count({ where: { action: 'change.all-machines', targetId: held.change.id } })).toBe(1)
  })

  test('two people at once let one machine go', async () => {
    const { held } = await plane(waits)
    const both = await Promise.allSettled([nextMachine(ada, next(held)), nextMachine(bo, next(held))])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await row(held)).steps).toBe(2)
  })

  test('a pause, a stop and a step do not release each other, and no emergency releases a step', async () => {
    const { held } = await plane({ ...waits, dueMode: 'replace', stoppedAt: new Date(), stoppedBy: 'p' })
    const { id: changeId, fingerprint } = held.change
    const refused = async () => (await failure(requireInTime(await row(held), {}))).message
    await pauseChange(ada, { changeId })
    expect(await refused()).toBe('paused by Ada')
    await nextMachine(ada, next(held))
    expect(await refused()).toBe('paused by Ada')
    await db().change.update({ where: { id: changeId }, data: waits })
    await resumeChange(ada, { changeId })
    expect(await refused()).toContain('stopped by the policy p')
    await db().change.update({ where: { id: changeId }, data: { stoppedAt: null } })
    await says(held, CLOSED)
    await overrideTimes(ada, { changeId, fingerprint, reason: 'it burns' })
    expect(await refused()).toContain('the next one waits for somebody')
  })
})

test('who may let the next one go is asked for it, and sees where it stands', async () => {
  const { held } = await plane()
  await approveLater(held)
  const sentence = async () => (await needsYou(ada, {})).find(({ id }) => id === held.change.id)?.sentence
  expect(await sentence()).toBeUndefined()
  await db().change.update({ where: { id: held.change.id }, data: waits })
  expect(await sentence()).toBe('1 of 3 machines done, as approved: the next one waits for somebody')
  const { timeline, step } = await getChange(ada, { id: held.change.id })
  expect(step).toMatchObject({ done: 1, of: 3 })
  expect(timeline.map(({ text }) => text)).toContain('1 of 3 machines, as approved; the next one waits for somebody.')
})
