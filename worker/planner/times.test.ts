import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, NOT_NOW, PAUSED, PAUSED_BY_DRYDOCK, STOPPED } from '@/lib/domain/latch/names'
import type { PolicySpec, Span } from '@/lib/domain/policies'
import { applyDecision } from '@/lib/services/changes/apply'
import { approveChange } from '@/lib/services/changes/approve-change'
import * as ways from '@/lib/services/changes/cannot-be'
import { goWhenDue } from '@/lib/services/changes/go-when-due'
import { overrideTimes, restoreTimes } from '@/lib/services/changes/override-times'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import type { Ctx } from '@/lib/services/context'
import * as foretelling from '@/lib/services/forecast/foretell'
import { savePolicy } from '@/lib/services/policies/save-policy'
import {
  annotations,
  audited,
  expectHeld,
  expectReleased,
  failure,
  inputFor,
  latchedCluster,
  stateOf,
} from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { requireInTime } from '../gate/decisions'
import { admit } from './admit'
import { planGroup } from './plan-group'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const at = latchedCluster()
const person = (id: string, role: 'approver' | 'admin' | 'operator' = 'approver'): Ctx => ({
  actor: { kind: 'user', id, name: id[0]!.toUpperCase() + id.slice(1), role },
})
const [ada, bo, cy] = [person('ada'), person('bo'), person('cy', 'admin')]
afterEach(async () => void (await db().rolloutPolicy.deleteMany({})))

const local = (at: number) => new Date(at).toISOString().slice(0, 16)
const HOUR = 3_600_000
/** From an hour ago for two hours; and from tomorrow on. */
const now: Span = { starts: local(Date.now() - HOUR), lasts: '2h', timeZone: 'UTC', why: 'the sale' }
const tomorrow: Span = { starts: local(Date.now() + 24 * HOUR), lasts: '2h', timeZone: 'UTC' }
const FROZEN = { freezes: [now] }
const CLOSED = { windows: [tomorrow] }

const says = (held: Held, rules: Omit<PolicySpec, 'select'>) =>
  savePolicy(cy, { name: `p-${randomUUID()}`, spec: { select: { names: [held.name] }, ...rules } })
const lifted = () => db().rolloutPolicy.deleteMany({})
const context = () => planningContext(at.clusterId)
const view = async () => (await context()).view
const look = async (held: Held) => planGroup(await context(), { ...(await held.read()), kind: held.kind })
const row = (held: Held) => db().change.findUniqueOrThrow({ where: { id: held.change.id } })
const decisions = (held: Held) =>
  db().decision.findMany({ where: { changeId: held.change.id }, orderBy: { recordedAt: 'asc' } })
const approvals = async (held: Held) => {
  const rows = await db().approval.findMany({ where: { changeId: held.change.id }, orderBy: { at: 'asc' } })
  return rows.map(({ actorId, endedWhy }) => `${actorId}${endedWhy ? ` ${endedWhy}` : ''}`)
}

/** Let go, and under way. */
async function running(): Promise<Held> {
  const held = await at.held()
  // The new machine takes its time, so that there is something left to be held.
  const template = { spec: { minReadySeconds: 1_000_000 } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { template } })
  const { id } = await approveChange(ada, inputFor(held))
  await expectReleased(held, id)
  await look(held)
  expect(await stateOf(held)).toBe('running')
  return held
}

describe('approved before its time', () => {
  test.each([
    ['in a freeze', FROZEN, /frozen by the policy .* \(the sale\)/],
    ['outside its window', CLOSED, /outside the windows of the policy/],
  ])('%s it is kept and nothing is sent; when its time comes it goes by itself, once', async (_, rules, words) => {
    const held = await at.held()
    await says(held, rules)
    const given = await approveChange(ada, { ...inputFor(held), reason: 'looks right' })
    expect(given).toMatchObject({ state: 'gathering', missing: 0, timing: { open: false } })
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    const event = await db().auditEvent.findFirstOrThrow({ where: { targetId: held.change.id } })
    expect((event.details as { waits: string }).waits).toMatch(words)
    await goInTime(await view())
    await expectHeld(held)
    expect(await decisions(held)).toEqual([])
    await lifted()
    // Two workers at once, as when one has just taken over.
    await Promise.allSettled([goWhenDue(held.change.id), goWhenDue(held.change.id)])
    const [decision, ...more] = await decisions(held)
    expect(more).toEqual([])
    expect(decision).toMatchObject({ state: 'accepted', actorName: 'Ada', reason: 'looks right' })
    await expectReleased(held, decision!.id)
    expect(await row(held)).toMatchObject({ state: 'approved', dueMode: null })
  })

  test('taken back, rejected, or asking for more by now, it does not go', async () => {
    const taken = await at.held()
    await says(taken, FROZEN)
    await approveChange(ada, inputFor(taken))
    await withdrawApproval(ada, { changeId: taken.change.id })
    const rejected = await at.held()
    await says(rejected, FROZEN)
    await approveChange(ada, inputFor(rejected))
    await rejectChange(bo, { changeId: rejected.change.id, fingerprint: rejected.change.fingerprint })
    const stricter = await at.held()
    await says(stricter, FROZEN)
    await approveChange(ada, inputFor(stricter))
    await lifted()
    await says(stricter, { approvals: 2 })
    await goInTime(await view())
    for (const held of [taken, rejected, stricter]) {
      await expectHeld(held)
      expect((await row(held)).dueMode).toBeNull()
    }
  })

  test('right before it is sent it is asked once more; what lay there too long waits, with its approvals', async () => {
    const held = await at.held()
    const { id } = await db().decision.create({
      data: {
        ...{ changeId: held.change.id, fingerprint: held.change.fingerprint, mode: 'replace' },
        ...{ actorId: 'ada', actorName: 'Ada', policy: { rules: {}, byItself: false, approvals: [] } },
      },
    })
    await db().approval.create({
      data: {
        ...{ changeId: held.change.id, fingerprint: held.change.fingerprint, mode: 'replace', decisionId: id },
        ...{ actorId: 'ada', actorName: 'Ada' },
      },
    })
    await db().change.update({ where: { id: held.change.id }, data: { state: 'approved' } })
    await says(held, FROZEN)
    await applyDecision(id, 'test')
    await expectHeld(held)
    expect((await decisions(held))[0]).toMatchObject({ state: 'voided', awaitsTime: true, sentAt: null })
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    expect(await approvals(held)).toEqual(['ada'])
    await lifted()
    await goInTime(await view())
    expect(await stateOf(held)).toBe('approved')
  })

  test('the gate does not say either way outside its time, and says why', async () => {
    const held = await running()
    await requireInTime(await row(held), {})
    await says(held, CLOSED)
    const refused = await failure(requireInTime(await row(held), {}))
    expect(refused.message).toMatch(/outside the windows/)
  })
})

describe('under way when its time ends', () => {
  test('it is held again, says until when, and goes on by itself with the same approvals', async () => {
    const held = await running()
    await says(held, { ...CLOSED, expiresAfter: '30m' })
    await holdToTimes(await view())
    await expectHeld(held)
    expect((await annotations(held))[HELD]).toMatch(/^Stopped by Drydock: not now: outside the windows/)
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    expect(await approvals(held)).toEqual(['ada'])
    await holdToTimes(await view())
    await goInTime(await view())
    await expectHeld(held)
    // What it approved has begun: it does not expire while it waits for its window.
    await db().approval.updateMany({
      where: { changeId: held.change.id },
      data: { at: new Date(0), expiresAt: new Date(1) },
    })
    await lifted()
    await says(held, { expiresAfter: '30m' })
    await goInTime(await view())
    const all = await decisions(held)
    expect(all.map(({ state, error }) => [state, error])).toEqual([
      ['voided', null],
      ['accepted', null],
    ])
    await expectReleased(held, all[1]!.id)
    expect(await audited(held)).toEqual(
      expect.arrayContaining(['change.stop ok', 'change.stopped ok', 'change.approved ok', 'decision.accepted ok']),
    )
  })

  test('what a person stopped in that moment is for people, and does not go on by itself', async () => {
    const held = await running()
    await says(held, FROZEN)
    const hold = { [PAUSED]: PAUSED_BY_DRYDOCK, [HELD]: 'stop, says Bo' }
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations: hold } })
    await holdToTimes(await view())
    expect((await annotations(held))[HELD]).toBe('stop, says Bo')
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
    expect(await approvals(held)).toEqual(['ada void'])
    await lifted()
    await goInTime(await view())
    expect((await annotations(held))[HELD]).toBe('stop, says Bo')
  })

  test('a pause of a person stays when the window opens again', async () => {
    const held = await running()
    await says(held, CLOSED)
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', {
      metadata: { annotations: { [PAUSED]: 'bo' } },
    })
    await holdToTimes(await view())
    await look(held)
    await lifted()
    await goInTime(await view())
    const found = await annotations(held)
    expect(found[PAUSED]).toBe('bo')
    expect(found).not.toHaveProperty([HELD])
  })

  test('a mark without a hold, of a worker that died in between, is taken back when its time is there again', async () => {
    const held = await running()
    await db().decision.updateMany({ where: { changeId: held.change.id }, data: { awaitsTime: true } })
    await holdToTimes(await view())
    expect((await decisions(held))[0]).toMatchObject({ awaitsTime: false })
    expect(await stateOf(held)).toBe('running')
  })

  test('a worker that lost its lease marks and holds nothing', async () => {
    const held = await running()
    await says(held, FROZEN)
    const { clusterId } = at
    const until = new Date(Date.now() + HOUR)
    await db().clusterLease.create({ data: { clusterId, owner: 'another', fence: 7n, until } })
    try {
      await expect(holdToTimes({ ...(await view()), fence: 6n })).rejects.toThrow('Another worker owns')
    } finally {
      await db().clusterLease.deleteMany({ where: { clusterId } })
    }
    expect(await annotations(held)).not.toHaveProperty([HELD])
    expect((await decisions(held))[0]).toMatchObject({ awaitsTime: false })
  })
})

describe('what nobody has to approve', () => {
  const itself = { approvals: 0, strategy: 'replace' as const }
  const admitted = async (held: Held) => admit(await view(), held.change.groupId)

  test('waits for its window, and goes on by itself after one', async () => {
    const held = await at.held()
    await says(held, { ...itself, ...CLOSED })
    await admitted(held)
    expect(await decisions(held)).toEqual([])
    await lifted()
    await says(held, itself)
    await admitted(held)
    expect(await stateOf(held)).toBe('approved')
    await look(held)
    await says(held, FROZEN)
    await holdToTimes(await view())
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    await lifted()
    await says(held, itself)
    await goInTime(await view())
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided', 'accepted'])
  })
})

describe('what people said holds, whatever the calendar and a laxer policy say', () => {
  const itself = { approvals: 0, strategy: 'replace' as const }

  test('rejected, approved again and taken back: it does not go by itself', async () => {
    const held = await at.held()
    await rejectChange(bo, { changeId: held.change.id, fingerprint: held.change.fingerprint })
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    await withdrawApproval(ada, { changeId: held.change.id })
    await lifted()
    await says(held, itself)
    await goInTime(await view())
    await expectHeld(held)
    expect((await decisions(held)).map(({ mode }) => mode)).toEqual(['reject'])
  })

  test('held by a freeze, and the approval taken back: it does not go on by itself', async () => {
    const held = await running()
    await says(held, FROZEN)
    await holdToTimes(await view())
    await look(held)
    await withdrawApproval(ada, { changeId: held.change.id })
    await lifted()
    await says(held, itself)
    await goInTime(await view())
    await expectHeld(held)
    // Approved by somebody, it was no policy's that asks nobody.
    await db().change.update({ where: { id: held.change.id }, data: { dueMode: 'replace' } })
    await goInTime(await view())
    await expectHeld(held)
  })

  test.each([
    ['its time has come', FROZEN],
    ['nobody is asked', {}],
  ])('rejected in the very moment in which %s: the rejection stands', async (_, rules) => {
    const held = await at.held()
    const { id: changeId, fingerprint } = held.change
    if (rules === FROZEN) {
      await says(held, FROZEN)
      await approveChange(ada, inputFor(held))
      await lifted()
    } else await says(held, itself)
    const seen = vi.spyOn(foretelling, 'foretell').mockImplementationOnce(async () => {
      await rejectChange(bo, { changeId, fingerprint })
      return null
    })
    try {
      if (rules === FROZEN) await goInTime(await view())
      else await admit(await view(), held.change.groupId)
    } finally {
      seen.mockRestore()
    }
    await expectHeld(held)
    expect((await decisions(held)).map(({ mode, state }) => [mode, state])).toEqual([['reject', 'accepted']])
  })

  test('what is not allowed so any more waits for people, and is not called due', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    await lifted()
    await says(held, { strategy: 'in-place-only' })
    await goInTime(await view())
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
  })

  test('a control plane that would lose a machine by now, which nobody confirmed, waits for people', async () => {
    const held = await at.held('KubeadmControlPlane')
    const { id: changeId, outlook } = held.change
    const loses = outlook as { replace: object }
    const nothing = { counts: {}, created: 0, deleted: 0, headline: '' }
    const set = (inPlace: object) =>
      db().change.update({ where: { id: changeId }, data: { outlook: { ...loses, inPlace } } })
    await says(held, FROZEN)
    await set(nothing)
    await approveChange(ada, inputFor(held, 'in-place'))
    await set({ ...nothing, deleted: 1 })
    await lifted()
    await goInTime(await view())
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
    expect(await decisions(held)).toEqual([])
  })

  test('let go again before the planner has seen the hold: it goes on by itself', async () => {
    const held = await running()
    await says(held, FROZEN)
    await holdToTimes(await view())
    await lifted()
    await holdToTimes(await view())
    expect((await decisions(held))[0]).toMatchObject({ awaitsTime: true })
    await look(held)
    expect(await approvals(held)).toEqual(['ada'])
    await goInTime(await view())
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided', 'accepted'])
  })

  test('what cannot be reached in that moment is due again, and not for ever', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    await db().approval.updateMany({ where: { changeId: held.change.id }, data: { at: new Date(Date.now() - 60_000) } })
    await lifted()
    const down = vi.spyOn(ways, 'cannotBe').mockResolvedValue('the gate is being restarted')
    try {
      await goInTime(await view())
      expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
      for (let i = 0; i < 10; i++) await goInTime(await view())
    } finally {
      down.mockRestore()
    }
    const all = await decisions(held)
    expect(all.map(({ state }) => state)).toEqual([...all.slice(1).map(() => 'voided'), 'failed'])
    expect(all).toHaveLength(11)
    await expectHeld(held)
  })
})

describe('letting one change go outside its times', () => {
  const input = (held: Held, reason?: string) => ({
    changeId: held.change.id,
    fingerprint: held.change.fingerprint,
    ...(reason === undefined ? {} : { reason }),
  })

  test('by a named person with a reason: what is approved goes at once, and is held no more', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    expect((await failure(overrideTimes(person('op', 'operator'), input(held, 'x')))).code).toBe('forbidden')
    expect((await failure(overrideTimes(bo, input(held)))).message).toContain('Say why')
    expect((await failure(overrideTimes(bo, input(held, '  ')))).message).toContain('Say why')
    await expectHeld(held)
    await overrideTimes(bo, input(held, 'CVE-2026-1, today'))
    expect(await row(held)).toMatchObject({ state: 'approved', overrideBy: 'Bo', overrideReason: 'CVE-2026-1, today' })
    await look(held)
    await holdToTimes(await view())
    expect(await annotations(held)).not.toHaveProperty([HELD])
    expect(await audited(held)).toContain('change.override ok')
    // Taken back, its freeze holds what has not begun.
    await restoreTimes(bo, { changeId: held.change.id })
    await holdToTimes(await view())
    expect((await annotations(held))[HELD]).toContain(STOPPED + NOT_NOW)
    expect((await failure(restoreTimes(bo, { changeId: held.change.id }))).code).toBe('conflict')
  })

  test('takes the place of no approval, and is of no use where nothing but approvals holds it', async () => {
    const held = await at.held()
    expect((await failure(overrideTimes(bo, input(held, 'now')))).message).toContain('its time is now')
    await says(held, FROZEN)
    await overrideTimes(bo, input(held, 'now'))
    await goInTime(await view())
    await expectHeld(held)
    expect(await approveChange(ada, inputFor(held))).toMatchObject({ state: 'accepted' })
  })

  test('is of the change that was looked at', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    const other = { ...input(held, 'now'), fingerprint: 'f'.repeat(64) }
    expect((await failure(overrideTimes(bo, other))).message).toContain('changed while you were looking')
  })
})
