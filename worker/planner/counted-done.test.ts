import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { recordAudit } from '@/lib/services/audit/record'
import { approveChange } from '@/lib/services/changes/approve-change'
import { getChange } from '@/lib/services/changes/get-change'
import { NOT_HELD } from '@/lib/services/changes/let-go-outside'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { systemCtx } from '@/lib/services/context'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { countDone as countedAsDone, countedRollouts } from '@/testenv/counted'
import { expectHeld, failure, inputFor } from '@/testenv/deciding'
import { ago, fares, OLD } from '@/testenv/faring'
import { MD, type Held } from '@/testenv/held'
import { settlingRollouts } from '@/testenv/settling'
import { ada, bo, person, row } from '@/testenv/timed'
import { placed, waved, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const cluster = wavedCluster()
const { running, slow, place, look } = cluster
const { allHaveIt, away, comesBack, round, settling } = settlingRollouts(cluster)
const { governed, isBack, setsOf } = countedRollouts(cluster)
const WAVES = [{ name: 'canary' }, { name: 'next' }]
const NEVER = { stopsAt: 'never', readyWithin: 'never' }
const long = 120_000
const countDone = (held: Held, stoppedAt = held.change.stoppedAt) => countedAsDone(held, stoppedAt)
async function rounds(held: Held, times = 3) {
  const found = await round(held, times)
  await place()
  return found
}
/** Approved, and waiting for the wave before. */
async function waitsFor(canary: Held): Promise<Held> {
  const next = await slow()
  await waved([canary, next], WAVES, { stopsAt: 1, readyWithin: '15m' })
  await approveChange(bo, inputFor(next))
  return next
}

test(
  'rejected in the middle, and its last machine is through: the next wave does not begin before somebody says so',
  async () => {
    const canary = await running()
    await away(canary, 30)
    const next = await waitsFor(canary)
    const stopped = await rounds(canary)
    expect(stopped).toMatchObject({ state: 'waiting', stoppedAt: expect.any(Date) as Date })
    const { fingerprint } = stopped
    await rejectChange(ada, { changeId: canary.change.id, fingerprint, reason: 'bad image' })
    expect(await rounds(canary, 1)).toMatchObject({ state: 'rejected' })
    await allHaveIt(canary)
    const now = await rounds(canary, 5)
    expect(now).toMatchObject({
      settling: true,
      stoppedBy: '',
      stoppedWhy: expect.stringContaining('Ada rejected it') as string,
    })
    const { timeline } = await getChange(ada, { id: canary.change.id })
    expect(timeline.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^Done only if somebody says so: Ada rejected it/),
    )
    expect((await placed(next)).why).toContain('done only if somebody says so')
    await expectHeld(next)
    const need = (await needsYou(ada, {})).find(({ id }) => id === canary.change.id)
    expect(need).toMatchObject({ kind: 'stopped', detail: expect.stringContaining('count it as done') as string })
    await countDone({ ...canary, change: now })
    // Whoever looks sees that at once.
    const page = () => getChange(ada, { id: canary.change.id })
    expect(await page()).toMatchObject({ state: 'running', stopped: null, counted: true })
    expect((await rounds(canary)).state).toBe('done')
    expect(await page()).not.toHaveProperty('counted')
    const [last] = await db().auditEvent.findMany({
      where: { action: 'change.counted-done' },
      orderBy: { id: 'desc' },
      take: 1,
    })
    expect(last).toMatchObject({ targetId: canary.change.id, actorName: 'Bo', reason: 'one node less is enough' })
  },
  long,
)

test(
  'an edit that is taken back says nothing of the canary that had not come back before it',
  async () => {
    const canary = await settling(16)
    await db().group.update({
      where: { id: canary.change.groupId },
      data: {
        ...{ version: 'v1.34.1', generation: 2, observedGeneration: 2, held: null, rollingOut: false },
        ...{ desiredReplicas: 1, replicas: 1, upToDateReplicas: 1, availableReplicas: 0 },
      },
    })
    const next = await waitsFor(canary)
    expect(await rounds(canary)).toMatchObject({ settling: true, stoppedAt: expect.any(Date) as Date })
    await canary.bump('v1.34.2')
    await look(canary)
    await canary.bump('v1.34.1')
    await look(canary)
    await rounds(canary)
    const states = await db().change.findMany({ where: { groupId: canary.change.groupId }, select: { state: true } })
    expect(states.map(({ state }) => state).sort()).toEqual(['reverted', 'superseded'])
    expect((await placed(next)).why).toContain(
      'stopped, never counted as done, and over: roll it out anew, or do not wait for its wave',
    )
    await expectHeld(next)
    // Without a stop it is its machines that say whether they are well.
    await db().change.updateMany({ where: { groupId: canary.change.groupId }, data: { stoppedAt: null } })
    await place()
    expect((await placed(next)).why).toContain('updated, and not Ready yet')
    await db().group.update({ where: { id: canary.change.groupId }, data: { availableReplicas: 1 } })
    await place()
    expect(await placed(next)).toMatchObject({ state: 'open' })
  },
  long,
)

test(
  'what nothing stops, and is never Ready, somebody may count as done; nobody else, and nothing that has not settled',
  async () => {
    const held = await settling(60)
    await waved([held], [{ name: 'all' }], NEVER)
    const early = await failure(countDone(held))
    expect(early).toMatchObject({ code: 'conflict' })
    expect(await round(held)).toMatchObject({ state: 'stuck', settling: true, stoppedAt: null })
    const input = { changeId: held.change.id, reason: 'x', again: true, asDone: true, stoppedAt: null }
    expect((await failure(acceptFailures(person('op', 'operator'), input))).code).toBe('forbidden')
    expect((await failure(acceptFailures(bo, { ...input, reason: ' ' }))).code).toBe('invalid')
    await countDone(held)
    const done = await round(held)
    expect(done).toMatchObject({ state: 'done', outcome: { late: 1 } })
    const shown = await getChange(ada, { id: held.change.id })
    expect(shown.timeline.map(({ text }) => text)).toContainEqual(
      'Bo counted it as done, as it was: one node less is enough',
    )
    expect(shown.countedDone).toMatchObject({ by: 'Bo', reason: 'one node less is enough' })
    expect(shown.machinesList.flatMap(({ name, progress }) => (progress?.failedFor ? [name] : []))).toEqual(['last'])
    expect(await failure(countDone(held))).toMatchObject({ code: 'conflict' })
  },
  long,
)

test('what its policy stopped at the end, and an approval of which was taken back as well, says both', async () => {
  const held = await settling(60)
  await waved([held], [{ name: 'all' }], { stopsAt: 1, readyWithin: '15m' })
  await db().approval.updateMany({
    where: { changeId: held.change.id },
    data: { endedAt: new Date(), endedWhy: 'withdrawn' },
  })
  const stopped = await round(held)
  expect(stopped).toMatchObject({ settling: true, stoppedAt: expect.any(Date) as Date })
  expect(stopped.stoppedBy).not.toBe('')
  const { against, countedDone } = await getChange(ada, { id: held.change.id })
  expect({ against, countedDone }).toEqual({ against: { by: 'Ada', how: 'taken-back' }, countedDone: null })
})

test(
  'taken back, every machine had it, and an old one is there again: nobody lets it go on, it is held and waits for approvals',
  async () => {
    const held = await governed(await running())
    const changeId = held.change.id
    const sets = await setsOf(held)
    await withdrawApproval(ada, { changeId })
    await away(held, 5)
    await allHaveIt(held)
    for (let i = 0; i < 3; i++) await look(held)
    await isBack(held, sets)
    await look(held)
    const { stoppedAt, settling } = await row(held)
    expect({ stoppedAt, settling }).toEqual({ stoppedAt: expect.any(Date) as Date, settling: false })
    const input = { changeId, reason: 'x', again: true, asDone: false, stoppedAt: stoppedAt!.toISOString() }
    expect((await failure(acceptFailures(bo, input))).message).toContain('Somebody said no to it')
    expect(await round(held, 4)).toMatchObject({ state: 'waiting' })
    await expectHeld(held)
  },
  long,
)

test('an approval that was taken back, and every machine had it before its group was held: it is not done by that', async () => {
  const held = await settling(5)
  expect(await round(held, 1)).toMatchObject({ settling: true })
  const back = { pausedBy: 'Ada', pausedReason: 'took the approval back', pausedAt: new Date(), pausedUntilHeld: true }
  await db().change.update({ where: { id: held.change.id }, data: back })
  await comesBack(held)
  const now = await round(held)
  expect(now).toMatchObject({ settling: true, pausedUntilHeld: false, pausedAt: null, stoppedBy: '' })
  expect(now.stoppedWhy).toContain('Ada took the approval back')
  await countDone({ ...held, change: now })
  expect((await round(held)).state).toBe('done')
})

test(
  'who has an error, and was Ready once or had nothing to do, keeps nothing that somebody counts as done',
  async () => {
    const held = await settling(30)
    const gone = { ready: false, available: false, state: 'failed', error: 'instance was terminated', node: 'n' }
    const up = { ...gone, verdict: 'up-to-date', createdAt: ago(1000) }
    const before = { startedAt: ago(20), finishedAt: ago(15), throughAt: ago(15), readyAt: ago(14) }
    await fares(held, 'once', { ...OLD, state: 'done', ...before }, up)
    await fares(held, 'never', { predicted: 'up-to-date', state: 'done', startedAt: null }, up)
    const { admin } = cluster.at.cluster
    await admin.patch(MD, held.name, held.namespace, 'merge', { spec: { replicas: 3 } })
    expect(await round(held)).toMatchObject({ settling: true })
    await countDone(held)
    expect((await round(held)).state).toBe('done')
  },
  long,
)

test.each<[string, object, object]>([
  ['it made', { predicted: null, state: 'created', startedAt: ago(40), finishedAt: null }, { createdAt: ago(40) }],
  ['somebody else had made', { predicted: null, state: 'created', startedAt: null, finishedAt: null }, {}],
])(
  'a machine that %s and that never comes up: the rollout waits for it, and somebody may count it as done',
  async (_name, fared, machine) => {
    const held = await settling(60, fared, { node: null, notReadySince: null, state: 'provisioning', ...machine })
    await waved([held], [{ name: 'all' }], NEVER)
    expect(await round(held)).toMatchObject({ settling: true, stoppedAt: null })
    await countDone(held)
    expect((await round(held)).state).toBe('done')
  },
  long,
)

test(
  'going on is no word for that it is done: what settled while the sheet was open is looked at anew',
  async () => {
    const held = await settling(16)
    await waved([held], [{ name: 'all' }], { stopsAt: 1, readyWithin: '15m' })
    const { stoppedAt, settling: settles } = await round(held)
    expect(settles).toBe(true)
    const input = {
      changeId: held.change.id,
      reason: 'x',
      again: true,
      asDone: false,
      stoppedAt: stoppedAt!.toISOString(),
    }
    expect((await failure(acceptFailures(bo, input))).code).toBe('conflict')
    expect((await round(held)).state).toBe('running')
  },
  long,
)

test(
  'what began by nobody’s word and was rejected in the middle is not taken back by that it comes to its end',
  async () => {
    const canary = await running()
    await away(canary, 30)
    const { id } = canary.change
    await db().decision.deleteMany({ where: { changeId: id } })
    await db().$transaction((tx) =>
      recordAudit(tx, systemCtx('planner'), {
        ...{ action: NOT_HELD, target: { kind: canary.kind, id, name: canary.name } },
        cluster: { id: canary.change.clusterId, name: 'm' },
      }),
    )
    const next = await slow()
    await waved([canary, next], WAVES, NEVER)
    await approveChange(bo, inputFor(next))
    await pauseChange(ada, { changeId: id })
    const { fingerprint } = await rounds(canary, 4)
    await rejectChange(ada, { changeId: id, fingerprint, reason: 'nobody asked' })
    await rounds(canary, 1)
    await allHaveIt(canary)
    expect(await rounds(canary, 5)).toMatchObject({ settling: true, stoppedBy: '' })
    expect((await placed(next)).state).toBe('waits')
    await expectHeld(next)
  },
  long,
)

test.each<[string, object, string]>([
  ['rejected on its way and overtaken', { state: 'superseded' }, 'waits'],
  ['and another rollout of it is done since', { state: 'done', wish: 'content x', wishExact: 'content x' }, 'open'],
])(
  '%s: what the next wave does',
  async (_name, last, state) => {
    const canary = await settling(16)
    const next = await waitsFor(canary)
    const { groupId, id } = canary.change
    await db().group.update({
      where: { id: groupId },
      data: {
        ...{ version: 'v1.34.1', generation: 2, observedGeneration: 2, held: null, rollingOut: false },
        ...{ desiredReplicas: 1, replicas: 1, upToDateReplicas: 1, availableReplicas: 1 },
      },
    })
    await db().decision.updateMany({ where: { changeId: id }, data: { mode: 'reject' } })
    const over = { state: 'superseded', finishedAt: new Date() }
    const { id: _id, detectedAt: _at, wave: _wave, ...rest } = await db().change.update({ where: { id }, data: over })
    const copy = { ...rest, digest: 'other', startedAt: new Date(), ...last }
    if (state === 'open') await db().change.create({ data: copy as Prisma.ChangeUncheckedCreateInput })
    await place()
    expect((await placed(next)).state).toBe(state)
  },
  long,
)
