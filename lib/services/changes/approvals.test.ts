import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { PolicySpec } from '@/lib/domain/policies'
import { audited, expectHeld, expectReleased, failure, inputFor, latchedCluster, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { admit } from '@/worker/planner/admit'
import type { Ctx } from '../context'
import { savePolicy } from '../policies/save-policy'
import { snapshotOf } from '../policies/snapshot'
import { applyDecision } from './apply'
import { approveChange } from './approve-change'
import { rejectChange } from './reject-change'
import { retryDecision } from './retry-decision'
import { withdrawApproval } from './withdraw-approval'

useTestDatabase()

const at = latchedCluster()
const person = (id: string, role: 'approver' | 'admin' = 'approver'): Ctx => ({
  actor: { kind: 'user', id, name: id[0]!.toUpperCase() + id.slice(1), role },
})
const [ada, bo, cy] = [person('ada'), person('bo'), person('cy', 'admin')]

/** The policy of one group alone. */
const holds = (held: Held, rules: Omit<PolicySpec, 'select'>) =>
  savePolicy(cy, { name: `p-${randomUUID()}`, spec: { select: { names: [held.name] }, ...rules } })
const decisions = (held: Held) =>
  db().decision.findMany({ where: { changeId: held.change.id }, orderBy: { recordedAt: 'asc' } })
const approvals = async (held: Held) => {
  const rows = await db().approval.findMany({ where: { changeId: held.change.id }, orderBy: { at: 'asc' } })
  return rows.map(({ actorId, mode, endedWhy }) => `${actorId} ${mode}${endedWhy ? ` ${endedWhy}` : ''}`)
}
beforeAll(async () => {
  // Somebody whom a field manager names.
  await db().user.create({ data: { id: 'bo', name: 'Bo Writer', email: 'bo@example.com', role: 'approver' } })
})
afterEach(async () => void (await db().rolloutPolicy.deleteMany({})))

describe('as many as the policy asks for', () => {
  test('one of two lets nothing go, and is kept; the second lets it go, with both on record', async () => {
    const held = await at.held()
    await holds(held, { approvals: 2 })
    const first = await approveChange(ada, { ...inputFor(held), reason: 'looks right' })
    expect(first).toMatchObject({ state: 'gathering', missing: 1, actorName: 'Ada' })
    await expectHeld(held)
    expect(await stateOf(held)).toBe('waiting')
    expect(await decisions(held)).toEqual([])
    // Once more is still one person.
    expect(await approveChange(ada, inputFor(held))).toMatchObject({ state: 'gathering', missing: 1 })
    const second = await approveChange(bo, inputFor(held))
    expect(second).toMatchObject({ state: 'accepted', actorName: 'Bo' })
    await expectReleased(held, second.id)
    const [decision] = await decisions(held)
    expect(snapshotOf(decision!)).toMatchObject({
      rules: { approvals: { value: 2, why: `it names the group ${held.name}` } },
      approvals: [{ actorName: 'Ada' }, { actorName: 'Bo' }],
    })
    expect(await audited(held)).toEqual([
      'approval.given ok',
      'approval.given ok',
      'change.approved ok',
      'decision.accepted ok',
    ])
  })

  test('two in the same instant are two', async () => {
    const held = await at.held()
    await holds(held, { approvals: 2 })
    const both = await Promise.all([approveChange(ada, inputFor(held)), approveChange(bo, inputFor(held))])
    expect(both.map(({ state }) => state).sort()).toEqual(['accepted', 'gathering'])
    expect(await decisions(held)).toHaveLength(1)
  })

  test('approving one way is no approval of the other', async () => {
    const held = await at.held()
    await holds(held, { approvals: 2 })
    await approveChange(ada, inputFor(held))
    await db().approval.updateMany({ where: { changeId: held.change.id }, data: { mode: 'in-place' } })
    expect(await approveChange(bo, inputFor(held))).toMatchObject({ state: 'gathering', missing: 1 })
    await expectHeld(held)
  })

  test('a rejection ends what was approved; so does whoever takes it back', async () => {
    const held = await at.held()
    await holds(held, { approvals: 2 })
    await approveChange(ada, inputFor(held))
    await withdrawApproval(ada, { changeId: held.change.id })
    expect((await failure(withdrawApproval(ada, { changeId: held.change.id }))).code).toBe('not-found')
    expect(await approveChange(bo, inputFor(held))).toMatchObject({ state: 'gathering', missing: 1 })
    const { changeId, fingerprint } = inputFor(held)
    await rejectChange(ada, { changeId, fingerprint })
    expect(await approvals(held)).toEqual(['ada replace withdrawn', 'bo replace rejected'])
    expect(await approveChange(ada, inputFor(held))).toMatchObject({ state: 'gathering', missing: 1 })
    expect(await stateOf(held)).toBe('rejected')
    await expectHeld(held)
  })

  test('what is being sent at this moment cannot be taken back, nor what has begun', async () => {
    const held = await at.held()
    const { id } = await approveChange(ada, inputFor(held))
    const back = () => failure(withdrawApproval(ada, { changeId: held.change.id }))
    await db().decision.update({ where: { id }, data: { state: 'applying' } })
    expect(await back()).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('sent to the cluster') as string,
    })
    await db().decision.update({ where: { id }, data: { state: 'accepted' } })
    const step = { machineId: randomUUID(), machineName: 'm', state: 'updating', startedAt: new Date() }
    await db().machineProgress.create({ data: { changeId: held.change.id, ...step } })
    expect(await back()).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('A machine has begun') as string,
    })
    expect(await approvals(held)).toEqual(['ada replace'])
  })

  test('a decision that is void is nobody’s approval any more', async () => {
    const held = await at.held()
    await holds(held, { approvals: 2 })
    await approveChange(ada, inputFor(held))
    const made = await approveChange(bo, inputFor(held))
    // Stopped: the planner voids what had been let go, and the change waits again.
    await db().decision.update({ where: { id: made.id }, data: { state: 'voided' } })
    expect(await approvals(held)).toEqual(['ada replace void', 'bo replace void'])
  })
})

describe('what the policy does not allow', () => {
  test('in place only: replacing is refused with the fields that are left', async () => {
    const held = await at.held()
    const { name } = await holds(held, { strategy: 'in-place-only' })
    const refused = await failure(approveChange(ada, inputFor(held)))
    expect(refused).toMatchObject({ code: 'conflict' })
    expect(refused.message).toContain(`The policy ${name} allows in place only, and nothing else instead.`)
    expect(await approvals(held)).toEqual([])
  })

  test('nobody approves their own; where nobody is named, one more is asked', async () => {
    const held = await at.held()
    const { name } = await holds(held, { notTheAuthor: true })
    await db().change.update({ where: { id: held.change.id }, data: { author: 'BO@example.com' } })
    const own = await failure(approveChange(bo, inputFor(held)))
    expect(own).toMatchObject({ code: 'forbidden', more: { hint: expect.stringContaining(name) as string } })
    expect(await approveChange(ada, inputFor(held))).toMatchObject({ state: 'accepted' })

    const other = await at.held()
    await holds(other, { notTheAuthor: true })
    await db().change.update({ where: { id: other.change.id }, data: { author: 'kubectl-edit' } })
    expect(await approveChange(bo, inputFor(other))).toMatchObject({ state: 'gathering', missing: 1 })
    expect(await approveChange(ada, inputFor(other))).toMatchObject({ state: 'accepted' })
  })

  test('a reason, where it asks for one', async () => {
    const held = await at.held()
    await holds(held, { reasonRequired: true })
    const refused = await failure(approveChange(ada, inputFor(held)))
    expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'reason' }] } })
    expect(await approveChange(ada, { ...inputFor(held), reason: 'CVE' })).toMatchObject({ state: 'accepted' })
  })

  test('an approval that expired does not count', async () => {
    const held = await at.held()
    await holds(held, { approvals: 2, expiresAfter: '1h' })
    await approveChange(ada, inputFor(held))
    await db().approval.updateMany({ where: { changeId: held.change.id }, data: { expiresAt: new Date(0) } })
    expect(await approveChange(bo, inputFor(held))).toMatchObject({ state: 'gathering', missing: 1 })
    const made = await approveChange(ada, inputFor(held))
    expect(made).toMatchObject({ state: 'accepted' })
    // What has begun goes on to its end.
    expect((await decisions(held))[0]!.expiresAt).toBeNull()
  })

  test('a policy that nobody can read keeps everything where it is', async () => {
    const held = await at.held()
    await db().rolloutPolicy.create({ data: { name: 'odd', spec: { waves: 'always' } } })
    const refused = await failure(approveChange(ada, inputFor(held)))
    expect(refused.message).toBe('The policy odd cannot be read, so nobody knows what it asks for.')
    expect(await stateOf(held)).toBe('waiting')
    await expectHeld(held)
  })

  test('labels that are not known keep it there, too; where they are, they decide', async () => {
    const held = await at.held()
    const { clusterId, namespace, workloadCluster: name } = held.change
    await savePolicy(cy, { name: 'prod', spec: { select: { labels: { env: 'prod' } }, approvals: 2 } })
    const where = { clusterId_namespace_name: { clusterId, namespace, name } }
    const row = { id: randomUUID(), clusterId, namespace, name, provider: 'cluster-api' }
    await db().workloadCluster.upsert({ where, create: row, update: { labels: undefined } })
    expect((await failure(approveChange(ada, inputFor(held)))).code).toBe('unavailable')
    await db().workloadCluster.update({ where, data: { labels: { env: 'prod' } } })
    expect(await approveChange(ada, inputFor(held))).toMatchObject({ state: 'gathering', missing: 1 })
    await db().workloadCluster.update({ where, data: { labels: { env: 'stage' } } })
    expect(await approveChange(bo, inputFor(held))).toMatchObject({ state: 'accepted' })
  })

  test('what was approved under laxer rules does not count under those of now', async () => {
    const held = await at.held()
    const { id, version, name } = await holds(held, { approvals: 2 })
    await approveChange(ada, inputFor(held))
    const spec = { select: { names: [held.name] }, approvals: 2, reasonRequired: true }
    await savePolicy(cy, { policyId: id, version, name, spec })
    expect(await approveChange(bo, { ...inputFor(held), reason: 'x' })).toMatchObject({
      state: 'gathering',
      missing: 1,
    })
    expect(await approveChange(ada, { ...inputFor(held), reason: 'y' })).toMatchObject({ state: 'accepted' })
  })
})

describe('a rejection', () => {
  test('that is retried ends what was approved since; and can be made anew where somebody approved it', async () => {
    const held = await at.held()
    await holds(held, { approvals: 2 })
    const { changeId, fingerprint } = inputFor(held)
    const { id: decisionId } = await rejectChange(ada, { changeId, fingerprint })
    await db().decision.update({ where: { id: decisionId }, data: { state: 'failed' } })
    await db().change.update({ where: { id: changeId }, data: { state: 'waiting' } })
    await approveChange(ada, inputFor(held))
    await retryDecision(bo, { decisionId })
    expect(await approvals(held)).toEqual(['ada replace rejected'])
    expect((await failure(rejectChange(bo, { changeId, fingerprint }))).code).toBe('conflict')
    await approveChange(ada, inputFor(held))
    await rejectChange(bo, { changeId, fingerprint })
    expect(await approveChange(bo, inputFor(held))).toMatchObject({ state: 'gathering', missing: 1 })
    await expectHeld(held)
  })
})

describe('asked again right before it goes out', () => {
  /** Recorded, and the process died before it applied it. */
  async function recorded(held: Held): Promise<string> {
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
    return id
  }
  const stateAfter = async (id: string) => {
    await applyDecision(id, 'test')
    return db().decision.findUniqueOrThrow({ where: { id }, select: { state: true, error: true } })
  }

  test('taken back meanwhile: it is void, and nothing is released', async () => {
    const held = await at.held()
    const id = await recorded(held)
    await withdrawApproval(ada, { changeId: held.change.id })
    expect(await stateAfter(id)).toMatchObject({ state: 'voided' })
    await expectHeld(held)
    expect(await stateOf(held)).toBe('waiting')
  })

  test.each<[string, Omit<PolicySpec, 'select'>, RegExp]>([
    ['more approvals', { approvals: 2 }, /^1 of the 2 approvals that the policy asks for counts by now/],
    ['another strategy', { strategy: 'in-place-only' }, /allows in place only/],
    ['another author', { notTheAuthor: true }, /^1 of the 2 approvals/],
  ])('stricter meanwhile (%s): it waits for another decision', async (_, rules, why) => {
    const held = await at.held()
    const id = await recorded(held)
    await holds(held, rules)
    const { state, error } = await stateAfter(id)
    expect(state).toBe('voided')
    expect(error).toMatch(why)
    expect(error).toContain('Nothing was released')
    await expectHeld(held)
    expect(await stateOf(held)).toBe('waiting')
    expect(await approvals(held)).toEqual(['ada replace void'])
  })

  test('whoever may not approve any more does not count', async () => {
    const held = await at.held()
    await db().user.create({ data: { id: 'ada', name: 'A', email: 'a@example.com', role: 'approver' } })
    const id = await recorded(held)
    await db().user.update({ where: { id: 'ada' }, data: { disabledAt: new Date() } })
    expect(await stateAfter(id)).toMatchObject({ state: 'voided' })
    await expectHeld(held)
    await db().user.update({ where: { id: 'ada' }, data: { disabledAt: null, role: 'operator' } })
    expect(await stateAfter(await recorded(held))).toMatchObject({ state: 'voided' })
    await db().user.update({ where: { id: 'ada' }, data: { role: 'admin' } })
    expect(await stateAfter(await recorded(held))).toMatchObject({ state: 'accepted' })
    await db().user.delete({ where: { id: 'ada' } })
  })

  test('taken back while somebody applies it and nothing was sent: nothing is released', async () => {
    const held = await at.held()
    const id = await recorded(held)
    await db().decision.update({
      where: { id },
      data: { state: 'applying', claimedBy: 'gone', claimedUntil: new Date() },
    })
    await withdrawApproval(ada, { changeId: held.change.id })
    expect(await stateAfter(id)).toMatchObject({ state: 'voided' })
    await expectHeld(held)
  })

  test('of a change that is over none stands', async () => {
    const held = await at.held()
    await holds(held, { approvals: 2 })
    await approveChange(ada, inputFor(held))
    await db().change.update({ where: { id: held.change.id }, data: { state: 'superseded' } })
    expect(await approvals(held)).toEqual(['ada replace void'])
    expect((await failure(withdrawApproval(ada, { changeId: held.change.id }))).code).toBe('not-found')
  })

  test('as it was: it goes out', async () => {
    const held = await at.held()
    expect(await stateAfter(await recorded(held))).toMatchObject({ state: 'accepted' })
  })
})

describe('what nobody has to approve', () => {
  const look = (held: Held) =>
    admit({ clusterId: held.change.clusterId } as Parameters<typeof admit>[0], held.change.groupId)

  test('goes by itself where replacing is what is wanted, once, and says whose policy it was', async () => {
    const held = await at.held()
    await look(held)
    expect(await decisions(held)).toEqual([])
    const { name } = await holds(held, { approvals: 0, strategy: 'replace' })
    await look(held)
    const [decision] = await decisions(held)
    expect(decision).toMatchObject({ state: 'accepted', mode: 'replace', actorName: 'drydock policy' })
    expect(decision!.reason).toBe(`The policy ${name} asks nobody.`)
    expect(snapshotOf(decision!)).toMatchObject({ byItself: true })
    await expectReleased(held, decision!.id)
    // Stopped since: from then on it is for people.
    await db().decision.update({ where: { id: decision!.id }, data: { state: 'voided' } })
    await db().change.update({ where: { id: held.change.id }, data: { state: 'waiting' } })
    await look(held)
    expect(await decisions(held)).toHaveLength(1)
  })

  test.each<[string, Omit<PolicySpec, 'select'>]>([
    ['it cannot be done in place, and replacing was not asked for', { approvals: 0 }],
    ['one is asked', { approvals: 1, strategy: 'replace' }],
  ])('waits where %s', async (_, rules) => {
    const held = await at.held()
    await holds(held, rules)
    await look(held)
    expect(await decisions(held)).toEqual([])
    await expectHeld(held)
  })

  test('what was under way, or decided on before, is for people', async () => {
    const moved = await at.held()
    await holds(moved, { approvals: 0, strategy: 'replace' })
    const outcome = { updatedInPlace: 0, created: 1, deleted: 0, failed: 0 }
    await db().change.update({ where: { id: moved.change.id }, data: { outcome } })
    await look(moved)
    expect(await decisions(moved)).toEqual([])
    await expectHeld(moved)

    const rejected = await at.held()
    const { changeId, fingerprint } = inputFor(rejected)
    await rejectChange(ada, { changeId, fingerprint })
    const { id: _id, ...same } = await db().change.findUniqueOrThrow({ where: { id: changeId } })
    await db().change.update({ where: { id: changeId }, data: { state: 'reverted' } })
    await holds(rejected, { approvals: 0, strategy: 'replace' })
    const again = { ...same, state: 'waiting', outcome: Prisma.DbNull } as Prisma.ChangeUncheckedCreateInput
    const { id } = await db().change.create({ data: again })
    await look(rejected)
    expect(await db().decision.count({ where: { changeId: id } })).toBe(0)
    await expectHeld(rejected)
  })

  test('waits where a policy cannot be read', async () => {
    const held = await at.held()
    await holds(held, { approvals: 0, strategy: 'replace' })
    await db().rolloutPolicy.create({ data: { name: 'odd', spec: 7 } })
    await look(held)
    expect(await decisions(held)).toEqual([])
    await expectHeld(held)
  })
})
