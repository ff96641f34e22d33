import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { POOL } from '@/lib/domain/latch/hold'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { approvedWhenBegun } from './approved-then'
import { HELD_AGAIN } from './held-again'
import { LET_GO, NOT_HELD } from './let-go-outside'
import { MOVED_UNAPPROVED, movedBefore, recordMovedUnapproved } from './moved-unapproved'

useTestDatabase()

async function aChange() {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  return db().change.create({
    data: {
      ...{
        clusterId,
        groupId: randomUUID(),
        groupKind: POOL,
        groupName: 'worker',
        namespace: '',
        workloadCluster: 'k',
      },
      ...{ fingerprint: 'f', state: 'waiting', summary: '', heldBy: 'latch', resourceVersion: '1', machines: 1 },
      ...{ changeSet: {}, outlook: {} },
    },
  })
}

const IN_FORCE = 'No approval of it was in force when n1 began.'

test.each<[string, object | null, string | null]>([
  [
    'what was decided is not sent yet',
    null,
    'It was approved, and not let go yet, when n1 began: the pool was paused only after that.',
  ],
  ['a decision is being sent', {}, null],
  ['what was sent is not answered', { state: 'failed' }, null],
  ['what was sent was stored', { state: 'accepted', acceptedAt: new Date() }, null],
  ['what was sent was refused', { state: 'failed', sentAt: null }, IN_FORCE],
  ['what was sent was never stored, and is void', { state: 'voided' }, IN_FORCE],
])('a node slips while %s', async (_what, became, reason) => {
  const change = await aChange()
  const changeId = change.id
  const sent = { fingerprint: 'f', mode: 'in-place', actorId: 'ada', actorName: 'Ada' }
  const { id } = await db().decision.create({
    data: { changeId, ...sent, state: became ? 'applying' : 'recorded', sentAt: became ? new Date() : null },
  })
  await db().machineProgress.create({
    data: { changeId, machineId: randomUUID(), machineName: 'n1', state: 'updating', startedAt: new Date() },
  })
  await db().decision.update({ where: { id }, data: became ?? {} })
  for (const _again of [1, 2]) await db().$transaction((tx) => recordMovedUnapproved(tx, change, 'm'))
  const events = await db().auditEvent.findMany({ where: { targetId: changeId, action: MOVED_UNAPPROVED } })
  expect(events.map((one) => one.reason)).toEqual(reason === null ? [] : [reason])
})

const [NOT, APPROVED] = ['It was not approved', 'It was approved, and not let go yet,']
const inS = (seconds: number) => new Date(Date.now() + seconds * 1000)
test.each<[what: string, said: string, given: number, begins: number, own: () => object]>([
  ['nobody had approved it', NOT, 0, 60, () => ({})],
  ['it was approved', APPROVED, 2, 60, () => ({})],
  ['one approval was missing', NOT, 1, 60, () => ({})],
  ['it was approved only after that', NOT, 2, -60, () => ({})],
  ['an approval had ended', NOT, 2, 60, () => ({ endedAt: inS(30) })],
  ['an approval ended only after that', APPROVED, 2, 60, () => ({ endedAt: inS(90) })],
  ['an approval had expired', NOT, 2, 60, () => ({ expiresAt: inS(30) })],
  ['it was approved in two ways', NOT, 2, 60, () => ({ mode: 'replace' })],
])('of what is kept for its time a node begins, and %s', async (_what, said, given, begins, own) => {
  const change = await aChange()
  const changeId = change.id
  const of = { changeId, fingerprint: 'f', mode: 'in-place', at: inS(-2) }
  for (const who of ['ada', 'bo'].slice(0, given))
    await db().approval.create({ data: { ...of, actorId: who, actorName: who, ...(who === 'bo' ? own() : {}) } })
  await recordAudit(db(), systemCtx('planner'), {
    action: 'approval.given',
    target: { kind: POOL, id: changeId, name: 'worker' },
    details: { mode: 'in-place', fingerprint: 'f', needed: 2, missing: 2 - given },
  })
  const node = { changeId, machineId: randomUUID(), machineName: 'n1', state: 'updating', startedAt: inS(begins) }
  await db().machineProgress.create({ data: node })
  await db().$transaction((tx) => recordMovedUnapproved(tx, change, 'm'))
  const where = { targetId: changeId, action: MOVED_UNAPPROVED }
  expect((await db().auditEvent.findFirstOrThrow({ where })).reason).toContain(`${said} when n1 began: `)
  expect(await approvedWhenBegun(changeId)).toBe(said === APPROVED ? 'all' : null)
})

const demoted = [
  [{ action: 'user.role-set', details: { from: 'approver', to: 'viewer' } }, null],
  [{ action: 'user.role-set', details: { from: 'approver', to: 'admin' } }, 'all'],
] as const
test.each(demoted)(
  'of what two had approved a node begins, and one of them was given %j before',
  async (given, then) => {
    const { id: changeId } = await aChange()
    const [ada, cy] = [randomUUID(), randomUUID()]
    const of = { changeId, fingerprint: 'f', mode: 'in-place', at: inS(-2) }
    for (const actorId of [ada, cy]) await db().approval.create({ data: { ...of, actorId, actorName: actorId } })
    await recordAudit(db(), systemCtx('planner'), {
      action: 'approval.given',
      target: { kind: POOL, id: changeId, name: 'worker' },
      details: { mode: 'in-place', fingerprint: 'f', needed: 2, missing: 0 },
    })
    const node = { changeId, machineId: randomUUID(), machineName: 'n1', state: 'updating', startedAt: inS(60) }
    await db().machineProgress.create({ data: node })
    expect(await approvedWhenBegun(changeId)).toBe('all')
    await recordAudit(db(), systemCtx('planner'), {
      ...given,
      target: { kind: 'User', id: cy, name: 'cy@example.com' },
    })
    expect(await approvedWhenBegun(changeId)).toBe(then)
  },
)

test.each([
  [-1, NOT],
  [90, APPROVED],
])('of what two had approved a node begins, and one of them is barred %i s from now', async (barred, said) => {
  const { id: changeId } = await aChange()
  const of = { changeId, fingerprint: 'f', mode: 'in-place', at: inS(-2) }
  const id = randomUUID()
  await db().user.create({
    data: { id, name: 'Cy', email: `${id}@example.com`, role: 'approver', disabledAt: inS(barred) },
  })
  for (const actorId of ['ada', id]) await db().approval.create({ data: { ...of, actorId, actorName: actorId } })
  await recordAudit(db(), systemCtx('planner'), {
    action: 'approval.given',
    target: { kind: POOL, id: changeId, name: 'worker' },
    details: { mode: 'in-place', fingerprint: 'f', needed: 2, missing: 0 },
  })
  const node = { changeId, machineId: randomUUID(), machineName: 'n1', state: 'updating', startedAt: inS(60) }
  await db().machineProgress.create({ data: node })
  expect(await approvedWhenBegun(changeId)).toBe(said === APPROVED ? 'all' : null)
})

test('what is held again until its time keeps what it was approved with', async () => {
  const change = await aChange()
  const changeId = change.id
  const of = { changeId, fingerprint: 'f', mode: 'in-place' }
  const who = { actorId: 'ada', actorName: 'Ada' }
  const policy = { rules: {}, byItself: false, approvals: [{ ...who, reason: null, at: inS(-2).toISOString() }] }
  const { id } = await db().decision.create({
    data: { ...of, ...who, policy, state: 'accepted', recordedAt: inS(-1), acceptedAt: new Date() },
  })
  await db().approval.create({ data: { ...of, ...who, at: inS(-2), decisionId: id, expiresAt: inS(30), begun: true } })
  await db().decision.update({ where: { id }, data: { awaitsTime: true, state: 'voided', voidedAt: new Date() } })
  const node = { changeId, machineId: randomUUID(), machineName: 'n1', state: 'updating', startedAt: inS(60) }
  await db().machineProgress.create({ data: node })
  await db().$transaction((tx) => recordMovedUnapproved(tx, change, 'm'))
  const where = { targetId: changeId, action: MOVED_UNAPPROVED }
  expect((await db().auditEvent.findFirstOrThrow({ where })).reason).toMatch(/^It was not let go when n1 began/)
})

const ONLY_AFTER = 'the pool was paused only after that'
test.each<[string, boolean, number[], string]>([
  ['it was paused after that', false, [1], ONLY_AFTER],
  [
    'somebody had taken its pause away',
    true,
    [60],
    'Drydock had paused the pool before that, and somebody had taken that away',
  ],
  ['some before, and some after somebody took that away', true, [1, 60], 'the pool was not paused then'],
  ['that it was paused again is not on record yet', false, [60], 'the pool was not paused then'],
])('nobody had approved what began of a pool, and %s', async (_, again, seconds, why) => {
  const change = await aChange()
  const target = { kind: POOL, id: change.id, name: 'worker' }
  if (again) await recordAudit(db(), systemCtx('planner'), { action: HELD_AGAIN, target })
  for (const [i, after] of seconds.entries()) {
    const startedAt = new Date(change.detectedAt.getTime() + after * 1000)
    const of = { changeId: change.id, machineId: randomUUID(), machineName: `n${i}` }
    await db().machineProgress.create({ data: { ...of, state: 'updating', startedAt } })
  }
  await db().$transaction((tx) => recordMovedUnapproved(tx, change, 'm'))
  const { reason } = await db().auditEvent.findFirstOrThrow({
    where: { targetId: change.id, action: MOVED_UNAPPROVED },
  })
  expect(reason).toMatch(new RegExp(`^It was not approved when n0(, n1)? began: ${why}\\.$`))
})

test.each([
  ['was never held', NOT_HELD, null, true],
  ['was let go outside, and not held again', LET_GO, null, true],
  ['was approved meanwhile', NOT_HELD, new Date(), false],
  ['is not on record as unheld', 'change.waits', null, false],
])('what ended and %s is told on the page of its pool with its nodes', async (_, action, acceptedAt, told) => {
  const { id, clusterId, groupId } = await aChange()
  await db().change.update({ where: { id }, data: { state: 'done', finishedAt: new Date() } })
  await recordAudit(db(), systemCtx('planner'), { action, target: { kind: POOL, id, name: 'worker' } })
  for (const [machineName, startedAt] of [
    ['n2', new Date()] as const,
    ['n1', new Date()] as const,
    ['n3', null] as const,
  ])
    await db().machineProgress.create({
      data: { changeId: id, machineId: randomUUID(), machineName, state: 'done', startedAt },
    })
  const word = { fingerprint: 'f', mode: 'in-place', actorId: 'ada', actorName: 'Ada', state: 'seen' }
  if (acceptedAt) await db().decision.create({ data: { changeId: id, ...word, acceptedAt } })
  const before = await movedBefore(clusterId, groupId)
  expect(before).toEqual(told ? [{ id, summary: '', nodes: ['n1', 'n2'], isDone: true }] : [])
})
