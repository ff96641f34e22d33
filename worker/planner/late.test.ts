import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED, plainReason, SEEN_STORED, STOPPED } from '@/lib/domain/latch/names'
import { KubeUnreachable } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { callsOf } from '@/lib/services/changes/change-row'
import * as forbids from '@/lib/services/changes/policy-forbids'
import { overtakeVoid } from '@/lib/services/changes/overtake'
import { VOID } from '@/lib/services/changes/patch-for'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { annotations, audited, expectHeld, expectReleased, inputFor, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { ada, bo, decisions, lifted, row, says, timedCluster } from '@/testenv/timed'
import { lostAnswer } from '@/testenv/lost-answer'
import { planningContext } from '@/testenv/planning'
import { planGroup } from './plan-group'
import { NOBODY_LET_GO } from './stop'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const { at, view, look, slow, running } = timedCluster()

const onItsWay = (held: Held) => lostAnswer(at.clusterId, held, () => approveChange(ada, inputFor(held)))
async function rounds(held: Held): Promise<void> {
  for (let times = 0; times < 3; times++) {
    await look(held)
    await holdToTimes(await view())
    await goInTime(await view())
  }
}

describe('a release that is stored after its decision was void', () => {
  test('comes too late, where somebody paused the change meanwhile; resumed, it goes', async () => {
    const held = await slow()
    const { land, again } = await onItsWay(held)
    await pauseChange(bo, { changeId: held.change.id })
    await again()
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided'])
    expect(await annotations(held)).toHaveProperty([VOID])
    await expect(land()).rejects.toMatchObject({ code: 409 })
    await rounds(held)
    await expectHeld(held)
    await resumeChange(ada, { changeId: held.change.id })
    expect(await stateOf(held)).toBe('approved')
    expect(await annotations(held)).not.toHaveProperty([VOID])
  })

  test('comes too late, where its policy asks for more by then', async () => {
    const held = await slow()
    const { land, again } = await onItsWay(held)
    await says(held, { approvals: 2 })
    await again()
    await expect(land()).rejects.toMatchObject({ code: 409 })
    await rounds(held)
    await expectHeld(held)
  })

  test('stored before that is known, it is accepted, and held by what holds it now', async () => {
    const held = await slow()
    const { stored, again } = await onItsWay(held)
    await pauseChange(bo, { changeId: held.change.id })
    await stored()
    await again()
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['accepted'])
    await rounds(held)
    await expectHeld(held)
  })

  test.each([
    ['should it ever come through', {}],
    ['also where it was taken for not stored, and is due again', { sentAt: null, awaitsTime: true }],
  ])('is held again all the same, %s', async (_when, as) => {
    const held = await slow()
    const { id } = await approveChange(ada, inputFor(held))
    await db().decision.update({ where: { id }, data: { state: 'voided', acceptedAt: null, ...as } })
    await db().change.update({ where: { id: held.change.id }, data: { state: 'waiting' } })
    await look(held)
    await expectHeld(held)
    expect((await annotations(held))[HELD]).toBe('Stopped by Drydock: what let it go was void by then')
    expect(await audited(held)).toContain('change.stopped ok')
    await lifted()
  })
})

describe('a release that is stored, and whose answer is lost', () => {
  const overdue = (held: Held) =>
    db().decision.updateMany({
      where: { changeId: held.change.id },
      data: { sentAt: new Date(Date.now() - 10_000) },
    })

  test('is known by its object when the answer is overdue: what was paused meanwhile is held at once', async () => {
    const held = await slow()
    const { stored, again } = await onItsWay(held)
    await pauseChange(bo, { changeId: held.change.id })
    await stored()
    await overdue(held)
    await rounds(held)
    await expectHeld(held)
    // And for people with kubectl, once.
    const released = async () => {
      const { items } = await at.cluster.admin.list({ group: '', version: 'v1', plural: 'events' }, held.namespace)
      const all = items.map((event) => JSON.stringify(event)).filter((text) => text.includes(held.change.groupId))
      return all.filter((text) => text.includes('"DrydockReleased"'))
    }
    await vi.waitFor(async () => expect(await released()).toHaveLength(1))
    await again()
    expect((await audited(held)).filter((event) => event === 'decision.accepted ok')).toHaveLength(1)
    expect(await released()).toHaveLength(1)
  })

  test('is held again where another change took its place meanwhile, and the object was not written', async () => {
    const held = await slow()
    const { stored } = await onItsWay(held)
    // What it is bound to is another one now, by a template that was edited.
    await db().change.update({ where: { id: held.change.id }, data: { digest: 'of the template before' } })
    await look(held)
    await stored()
    await look(held)
    await expectHeld(held)
    // Taken away by hand after that, nobody fights it.
    const off = { metadata: { annotations: { [HELD]: null, [PAUSED]: null } } }
    await (await kubeClientFor(at.clusterId)).patch(MD, held.name, held.namespace, 'merge', off)
    await look(held)
    expect(await annotations(held)).not.toHaveProperty([HELD])
  })

  test('is not adopted where it is forbidden by now, and could not be written over', async () => {
    const held = await slow()
    const { stored, again } = await onItsWay(held)
    await says(held, { approvals: 2 })
    const client = await kubeClientFor(at.clusterId)
    const { patch } = client
    client.patch = () => Promise.reject(new KubeUnreachable('timed out', 'PATCH'))
    for (let times = 0; times < 5; times++) await again().catch(() => undefined)
    client.patch = patch
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided'])
    await stored()
    await rounds(held)
    await expectHeld(held)
    await lifted()
  })

  /** As after a cluster that was away for long. */
  const failedForGood = async (held: Held) => {
    const data = { state: 'failed', claimedUntil: null }
    await db().decision.updateMany({ where: { changeId: held.change.id }, data })
    await db().change.update({ where: { id: held.change.id }, data: { state: 'waiting' } })
  }
  const takenBack = async (held: Held) => {
    await failedForGood(held)
    await withdrawApproval(ada, { changeId: held.change.id })
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided'])
    const { details } = await db().auditEvent.findFirstOrThrow({ where: { action: 'approval.withdrawn' }, orderBy: { id: 'desc' } }) // prettier-ignore
    expect(details).toMatchObject({ wasSent: true })
  }

  test('failed for good, and taken back: the release comes too late', async () => {
    const held = await slow()
    const { land } = await onItsWay(held)
    await takenBack(held)
    await expect(land()).rejects.toMatchObject({ code: 409 })
    const targetId = held.change.id
    const over = await db().auditEvent.findFirstOrThrow({ where: { targetId, action: 'decision.overtaken' } })
    expect([over.actorName, over.result, over.answer]).toEqual(['Ada', 'ok', expect.stringMatching(/^stored as/)])
    await rounds(held)
    await expectHeld(held)
  })

  test('failed for good, and taken back while the cluster does not answer: that it was asked is on record', async () => {
    const held = await slow()
    await onItsWay(held)
    const client = await kubeClientFor(at.clusterId)
    const { patch } = client
    client.patch = () => Promise.reject(new KubeUnreachable('timed out', 'PATCH'))
    await takenBack(held).finally(() => (client.patch = patch))
    const { details, ...over } = await db().auditEvent.findFirstOrThrow({
      where: { targetId: held.change.id, action: 'decision.overtaken' },
    })
    expect(over).toMatchObject({ result: 'failed', answer: 'no answer: timed out' })
    const decision = (await decisions(held)).at(-1)!
    expect(details).toMatchObject({ decision: decision.id })
    expect(callsOf(decision).at(-1)).toMatchObject({ answer: 'no answer: timed out' })
  })

  test('taken back, and what is to be written over cannot be read: whoever did it is not told that it failed', async () => {
    await overtakeVoid(ada, randomUUID())
  })

  test('failed for good, and taken back when it had been stored: it is held again', async () => {
    const held = await slow()
    const { stored } = await onItsWay(held)
    await stored()
    await takenBack(held)
    await rounds(held)
    await expectHeld(held)
    expect(await stateOf(held)).toBe('waiting')
  })

  test('taken back, and stored while nobody can be asked about policies: it is held again', async () => {
    const held = await slow()
    const { stored } = await onItsWay(held)
    const client = await kubeClientFor(at.clusterId)
    const { get } = client
    client.get = () => Promise.reject(new KubeUnreachable('timed out', 'GET'))
    await takenBack(held).finally(() => (client.get = get))
    const { id } = await db().rolloutPolicy.create({ data: { name: 'odd', spec: { windows: 1 } } })
    await stored()
    await look(held).finally(() => db().rolloutPolicy.delete({ where: { id } }))
    await rounds(held)
    await expectHeld(held)
  })

  test('stored, but who approved it had no say any more, and policies cannot be known: it is not adopted', async () => {
    const held = await slow()
    const { stored } = await onItsWay(held)
    await failedForGood(held)
    await db().approval.updateMany({
      where: { changeId: held.change.id },
      data: { endedAt: new Date(), endedWhy: 'x' },
    })
    const { id } = await db().rolloutPolicy.create({ data: { name: 'odd', spec: { windows: 1 } } })
    await stored()
    await look(held).finally(() => db().rolloutPolicy.delete({ where: { id } }))
    await expectHeld(held)
  })

  test('failed, stored after all, and forbidden by then: its decision says why it is void', async () => {
    const held = await slow()
    const { stored } = await onItsWay(held)
    await failedForGood(held)
    await db().decision.updateMany({
      where: { changeId: held.change.id },
      data: { error: 'It did not answer. Retry.' },
    })
    await says(held, { approvals: 2 })
    await stored()
    await look(held)
    await expectHeld(held)
    expect(await decisions(held)).toMatchObject([
      { state: 'voided', error: expect.stringMatching(/^1 of the 2 approvals .* is held again\.$/) as string },
    ])
  })

  test('void, and seen late by a watch: what was approved anew since is not held for it', async () => {
    const held = await slow()
    const { stored } = await onItsWay(held)
    await stored()
    await takenBack(held)
    const old = { ...(await held.read()), kind: held.kind }
    const { id } = await approveChange(bo, inputFor(held))
    await planGroup(await planningContext(at.clusterId), old)
    await rounds(held)
    await expectReleased(held, id)
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided', 'seen'])
    expect(await audited(held)).not.toContain('change.stopped ok')
  })

  test('void, and what it bears now is void as well: it is held again', async () => {
    const held = await slow()
    const { stored } = await onItsWay(held)
    await stored()
    await takenBack(held)
    const old = { ...(await held.read()), kind: held.kind }
    const { id } = await approveChange(bo, inputFor(held))
    await db().decision.update({ where: { id }, data: { state: 'voided', acceptedAt: null } })
    await db().change.update({ where: { id: held.change.id }, data: { state: 'waiting' } })
    await planGroup(await planningContext(at.clusterId), old)
    await expectHeld(held)
  })

  test('accepted in the moment in which it is found forbidden, it is not held for that', async () => {
    const held = await slow()
    const { stored } = await onItsWay(held)
    await stored()
    await failedForGood(held)
    const asked = vi.spyOn(forbids, 'forbidsStored').mockImplementationOnce(async () => {
      const data = { state: 'accepted', acceptedAt: new Date() }
      await db().decision.updateMany({ where: { changeId: held.change.id }, data })
      return 'It is forbidden.'
    })
    await look(held)
    asked.mockRestore()
    expect(await annotations(held)).not.toHaveProperty([HELD])
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['accepted'])
  })

  test('known by whoever tries again, and forbidden by then: it is held again', async () => {
    const held = await slow()
    const { stored, again } = await onItsWay(held)
    await stored()
    await says(held, { approvals: 2 })
    await again()
    await rounds(held)
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided'])
    await expectHeld(held)
    await lifted()
    const targetId = held.change.id
    const said = await db().auditEvent.findFirstOrThrow({ where: { targetId, action: 'decision.failed' } })
    expect(said.answer).toMatch(/counts? by now: approve it again\. It had been released: its group is held again\.$/)
  })

  test('stored, but one of the two who approved it may not any more, and policies cannot be known: it is not adopted', async () => {
    const held = await slow()
    await says(held, { approvals: 2 })
    await approveChange(bo, inputFor(held))
    const { stored } = await onItsWay(held)
    await failedForGood(held)
    const gone = { id: 'ada', name: 'Ada', email: 'ada@x.y', role: 'approver', disabledAt: new Date() }
    await db().user.create({ data: gone })
    const { id } = await db().rolloutPolicy.create({ data: { name: 'odd', spec: { windows: 1 } } })
    await stored()
    await look(held).finally(() => db().rolloutPolicy.delete({ where: { id } }))
    await db().user.delete({ where: { id: 'ada' } })
    await expectHeld(held)
  })

  test('sent, and the cluster does not answer for a while: it is tried again, by nobody’s hand', async () => {
    const held = await slow()
    const { again } = await onItsWay(held)
    const client = await kubeClientFor(at.clusterId)
    const { get } = client
    client.get = () => Promise.reject(new KubeUnreachable('timed out', 'GET'))
    await again().catch(() => undefined)
    client.get = get
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['applying'])
    await again()
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['accepted'])
  })
})

test('paused in the moment between the last look at policies and the release, it is not released', async () => {
  const held = await slow()
  const asked = vi.spyOn(forbids, 'policyForbids').mockImplementationOnce(async () => {
    await pauseChange(bo, { changeId: held.change.id })
    return null
  })
  expect(await approveChange(ada, inputFor(held))).toMatchObject({ state: 'voided' })
  asked.mockRestore()
  await expectHeld(held)
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace', pausedBy: 'Bo' })
})

test('words of a hold that pauses nothing keep nobody from holding', async () => {
  const held = await running()
  const words = { metadata: { annotations: { [HELD]: 'x' } } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', words)
  await pauseChange(bo, { changeId: held.change.id, reason: 'red' })
  await rounds(held)
  expect(await annotations(held)).toMatchObject({
    [PAUSED]: 'drydock',
    [HELD]: expect.stringContaining('red') as string,
  })
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
})

test('held again by somebody else: that its decision ended is on record', async () => {
  const held = await running()
  const hold = { metadata: { annotations: { [HELD]: 'not tonight', [PAUSED]: 'drydock' } } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', hold)
  await look(held)
  expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided'])
  expect(await audited(held)).toEqual(expect.arrayContaining(['decision.ended ok']))
  const { reason } = await db().auditEvent.findFirstOrThrow({ where: { action: 'decision.ended' } })
  expect(reason).toBe('Its group is held again, not by Drydock: not tonight')
})

test('also where somebody writes what Drydock would write', async () => {
  const annotations = { [HELD]: 'Stopped by Drydock: not tonight', [PAUSED]: 'drydock' }
  for (const [author, times] of [
    ['kubectl-annotate', 1],
    ['drydock', 0],
  ] as const) {
    const held = await running()
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations } }, { author })
    await look(held)
    expect((await audited(held)).filter((event) => event === 'decision.ended ok')).toHaveLength(times)
  }
})

test.each([
  STOPPED + NOBODY_LET_GO.taken,
  STOPPED + NOBODY_LET_GO.neverHeld,
  STOPPED + NOBODY_LET_GO.voided,
  SEEN_STORED,
])('a decision that Drydock itself ends, as if nobody had let it go, is on record: %s', async (words) => {
  const held = await running()
  const hold = { metadata: { annotations: { [HELD]: words, [PAUSED]: 'drydock' } } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', hold, { author: 'drydock' })
  await look(held)
  expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided'])
  const where = { targetId: held.change.id, action: 'decision.ended' }
  const reason = `Drydock held its group again: ${plainReason(words)}`
  expect(await db().auditEvent.findMany({ where })).toMatchObject([{ reason }])
})
