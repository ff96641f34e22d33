import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import { applyDecision } from '@/lib/services/changes/apply'
import { approveChange } from '@/lib/services/changes/approve-change'
import { goWhenDue } from '@/lib/services/changes/go-when-due'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { annotations, audited, expectHeld, expectReleased, failure, inputFor, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { until } from '@/testenv/process'
import { requireInTime } from '../gate/decisions'
import { admit } from './admit'
import {
  ada,
  approvals,
  begins,
  bo,
  CLOSED,
  decisions,
  FROZEN,
  HOUR,
  lifted,
  row,
  says,
  timedCluster,
} from '@/testenv/timed'
import { goInTime, holdMidway, holdToTimes } from './times'

useTestDatabase()
const { at, view, look, running, slow } = timedCluster()

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
        ...{ actorId: 'ada', actorName: 'Ada', deletions: 1 },
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
    await begins(held)
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

  test('machines that had begun are followed to their end while it is held', async () => {
    const held = await running()
    const { clusterId, namespace, groupName, groupKind, workloadCluster, id: changeId } = held.change
    const machine = await db().machine.create({
      data: {
        ...{ id: randomUUID(), clusterId, namespace, groupName, groupKind, workloadCluster, name: 'm-1' },
        ...{ provider: 'cluster.x-k8s.io', phase: 'Running', state: 'updating', sentence: '', resourceVersion: '1' },
        ...{ updating: true, upToDate: false, createdAt: new Date(0), verdict: 'in-place', machineSet: 'of-old' },
      },
    })
    const startedAt = new Date(Date.now() - 60_000)
    await db().machineProgress.upsert({
      where: { changeId_machineId: { changeId, machineId: machine.id } },
      create: { changeId, machineId: machine.id, machineName: 'm-1', state: 'updating', startedAt },
      update: { state: 'updating', startedAt },
    })
    await says(held, FROZEN)
    await holdToTimes(await view())
    expect(await look(held)).toBe(1_000)
    const step = () =>
      db().machineProgress.findUniqueOrThrow({ where: { changeId_machineId: { changeId, machineId: machine.id } } })
    expect(await step()).toMatchObject({ state: 'updating', finishedAt: null })
    await db().machine.update({
      where: { id: machine.id },
      data: { updating: false, upToDate: true, ready: true, state: 'ready', verdict: 'up-to-date' },
    })
    await look(held)
    expect(await step()).toMatchObject({ state: 'done', startedAt })
    expect((await step()).finishedAt).not.toBeNull()
    expect(await row(held)).toMatchObject({ state: 'waiting', outcome: { updatedInPlace: 1 } })
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
    const held = await slow()
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

test('a control plane of which a machine goes is held when its manager has taken the member out of etcd', async () => {
  const held = await at.held('KubeadmControlPlane')
  const machines = { ...MD, plural: 'machines' }
  const plane = async () => {
    const all = await at.cluster.machines(held.namespace, held.change.workloadCluster)
    return all.find(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === held.kind))!
  }
  const { name } = (await plane()).metadata
  const annotated = (annotations: Record<string, string | null>) =>
    at.cluster.admin.patch(machines, name, held.namespace, 'merge', { metadata: { annotations } })
  await annotated({ 'pre-drain.delete.hook.machine.cluster.x-k8s.io/test': 'it takes its time' })
  await approveChange(ada, { ...inputFor(held), typedName: held.name })
  await look(held)
  const goes = async () => (await at.cluster.admin.get(machines, name, held.namespace)).metadata.deletionTimestamp
  await until('it to go', goes, { ms: 20_000 })
  await says(held, FROZEN)
  await holdToTimes(await view())
  expect(await annotations(held)).not.toHaveProperty([HELD])
  expect((await decisions(held))[0]).toMatchObject({ awaitsTime: true })
  await annotated({ 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup': null })
  await holdMidway(await view())
  await expectHeld(held)
})
