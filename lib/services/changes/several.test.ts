import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { MOST_AT_ONCE } from '@/lib/domain/changes/at-once'
import type { PolicySpec } from '@/lib/domain/policies'
import { as, audited, expectHeld, expectReleased, failure, latchedCluster, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { kubeClientFor } from '../clusters/connection'
import { ROLES } from '../context'
import { savePolicy } from '../policies/save-policy'
import { approveSeveral } from './approve-several'
import { outlookIn } from './change-row'
import { previewSeveral } from './preview-several'
import { rejectSeveral } from './reject-several'

vi.mock('../clusters/connection', async (original) => {
  const there = await original<typeof import('../clusters/connection')>()
  return { ...there, kubeClientFor: vi.fn(there.kubeClientFor) }
})
useTestDatabase()

const at = latchedCluster()
const [ada, bo, admin] = [as('approver', 'Ada'), as('approver', 'Bo'), as('admin', 'Cy')]
const OTHER = '0'.repeat(64)

const looked = ({ change }: Held) => ({ changeId: change.id, fingerprint: change.fingerprint })
const holds = (held: Held, rules: Omit<PolicySpec, 'select'>) =>
  savePolicy(admin, { name: `p-${randomUUID()}`, spec: { select: { names: [held.name] }, ...rules } })
const several = async (n: number): Promise<Held[]> => {
  const all: Held[] = []
  for (let i = 0; i < n; i++) all.push(await at.held())
  return all
}
const update = (held: Held, data: Parameters<ReturnType<typeof db>['change']['update']>[0]['data']) =>
  db().change.update({ where: { id: held.change.id }, data })

beforeAll(async () => {
  await db().user.create({ data: { id: 'ada', name: 'Ada', email: 'ada@example.com', role: 'approver' } })
  await db().user.create({ data: { id: 'bo', name: 'Bo', email: 'bo@example.com', role: 'approver' } })
})
afterEach(async () => void (await db().rolloutPolicy.deleteMany({})))

describe('several are decided as each alone', () => {
  test('each has its own result: what one is refused with is no matter to the others', async () => {
    const [plain, stale, two, own] = (await several(4)) as [Held, Held, Held, Held]
    await holds(two, { approvals: 2 })
    await holds(own, { notTheAuthor: true })
    await update(own, { author: 'ada@example.com' })
    const changes = [looked(plain), { ...looked(stale), fingerprint: OTHER }, looked(two), looked(own)]
    const gone = { changeId: randomUUID(), fingerprint: OTHER }
    const results = await approveSeveral(ada, {
      ...{ mode: 'replace', reason: 'CVE' },
      changes: [...changes, gone],
    })
    expect(results.map(({ changeId }) => changeId)).toEqual([...changes, gone].map(({ changeId }) => changeId))
    expect(results.map(({ decision, failure }) => decision?.state ?? failure?.message)).toEqual([
      'accepted',
      'The desired state changed while you were looking at it.',
      'gathering',
      'You wrote this change (ada@example.com), and nobody approves their own.',
      'There is no such change.',
    ])
    await expectReleased(plain, results[0]!.decision!.id)
    for (const held of [stale, two, own]) {
      await expectHeld(held)
      expect(await stateOf(held)).toBe('waiting')
    }
    expect(await audited(plain)).toEqual(['change.approved ok', 'decision.accepted ok'])
    expect(await audited(two)).toEqual(['approval.given ok'])
    expect([await audited(stale), await audited(own)]).toEqual([[], []])
    const reasons = await db().auditEvent.findMany({ where: { action: 'change.approved', targetId: plain.change.id } })
    expect(reasons).toMatchObject([{ reason: 'CVE', actorId: 'ada' }])

    // The second person is the last that is missing; once more is refused for what is let go.
    const again = await approveSeveral(bo, { mode: 'replace', changes: [looked(plain), looked(two)] })
    expect(again[0]!.failure).toMatchObject({ code: 'conflict', message: expect.stringContaining('Somebody was') })
    expect(again[1]!.decision).toMatchObject({ state: 'accepted', actorName: 'Bo' })
  })

  test('a reason where one asks for it, fewer machines, and a newer desired state', async () => {
    const [reason, fewer, newer] = (await several(3)) as [Held, Held, Held]
    await holds(reason, { reasonRequired: true })
    await update(fewer, { outlook: { ...outlookIn(fewer.change), replicas: 1 } as object })
    await newer.bump('v1.34.2')
    const changes = [looked(reason), { ...looked(fewer), replicas: 3 }, looked(newer)]
    const [a, b, c] = await approveSeveral(ada, { mode: 'replace', changes })
    expect(a!.failure?.fields?.[0]?.field).toBe('reason')
    expect(b!.failure?.message).toBe('Fewer machines are wanted by now: 1, and 3 when it was looked at.')
    expect(c!.decision).toMatchObject({ state: 'voided' })
    for (const held of [reason, fewer, newer]) await expectHeld(held)
  })

  test('what the cluster did not let through is tried again, each on its own record', async () => {
    const all = (await several(2)) as [Held, Held]
    const changes = all.map(looked)
    // Nobody asks the gate here, which is found out right before anything is sent.
    for (const n of [1, 2]) {
      const results = await approveSeveral(ada, { mode: 'in-place', changes })
      expect(results.map(({ decision }) => decision?.state)).toEqual(['failed', 'failed'])
      for (const held of all) {
        await expectHeld(held)
        expect(await stateOf(held)).toBe('waiting')
        expect((await audited(held)).filter((line) => line.startsWith('change.approved'))).toHaveLength(n)
      }
    }
    const [first] = await approveSeveral(ada, { mode: 'replace', changes: [changes[0]] })
    await expectReleased(all[0], first!.decision!.id)
    await expectHeld(all[1])
  })

  test('no control plane is replaced so: its name is typed on its own page', async () => {
    const plane = await at.held('KubeadmControlPlane')
    const seen = await previewSeveral(ada, { mode: 'replace', changes: [looked(plane)] })
    expect(seen.rows).toEqual([])
    expect(seen.leftOut[0]).toMatchObject({
      hint: 'Its name is typed for that: approve it on its own page.',
      groupName: plane.name,
    })
    // Nothing is known of its etcd: in place, too, somebody looks at it alone.
    const inPlace = await previewSeveral(ada, { mode: 'in-place', changes: [looked(plane)] })
    expect(inPlace.leftOut).toMatchObject([{ hint: seen.leftOut[0]!.hint, why: expect.stringContaining('etcd') }])
    const named = { ...looked(plane), typedName: plane.name }
    const [result] = await approveSeveral(ada, { mode: 'replace', changes: [named], typedName: plane.name })
    expect(result!.failure).toMatchObject({ code: 'invalid', hint: seen.leftOut[0]!.hint })
    await expectHeld(plane)
  })

  test('rejected together; what is rejected already is not, and says so', async () => {
    const [one, two] = (await several(2)) as [Held, Held]
    const operator = as('operator')
    const results = await rejectSeveral(operator, { changes: [looked(one)], reason: 'Not before the audit' })
    expect(results[0]!.decision).toMatchObject({ state: 'accepted', reason: 'Not before the audit' })
    const seen = await previewSeveral(operator, { mode: 'reject', changes: [looked(one), looked(two)] })
    expect(seen.leftOut).toMatchObject([{ changeId: one.change.id, why: 'It is rejected already.' }])
    expect(seen.rows).toMatchObject([{ changeId: two.change.id, headline: expect.stringContaining('stays as it is') }])
    const again = await rejectSeveral(operator, { changes: [looked(one), looked(two)] })
    expect(again.map(({ decision, failure }) => decision?.state ?? failure?.code)).toEqual(['conflict', 'accepted'])
    for (const held of [one, two]) {
      await expectHeld(held)
      expect(await audited(held)).toEqual(['change.rejected ok', 'decision.accepted ok'])
    }
  })
})

describe('who, and how many', () => {
  test.each(ROLES)('%s', async (role) => {
    const input = { changes: [{ changeId: randomUUID(), fingerprint: OTHER }], mode: 'replace' }
    const code = (attempt: Promise<unknown>) =>
      attempt.then(
        () => 'may',
        (error: { code: string }) => error.code,
      )
    expect(await code(approveSeveral(as(role), input))).toBe(['approver', 'admin'].includes(role) ? 'may' : 'forbidden')
    expect(await code(rejectSeveral(as(role), input))).toBe(role === 'viewer' ? 'forbidden' : 'may')
    expect(await code(previewSeveral(as(role), input))).toBe('may')
  })

  test('none, too many, and one named twice are refused as a whole', async () => {
    const of = (n: number) => Array.from({ length: n }, () => ({ changeId: randomUUID(), fingerprint: OTHER }))
    const asked = async (changes: object[]) =>
      (await failure(approveSeveral(ada, { mode: 'in-place', changes }))).message
    expect(await asked([])).toBe('Choose at least one change.')
    expect(await asked(of(MOST_AT_ONCE + 1))).toBe('At most 100 changes are decided at once.')
    const [one] = of(1) as [object]
    expect(await asked([one, one])).toBe('Each change is named once.')
    expect((await failure(rejectSeveral(ada, { changes: of(MOST_AT_ONCE + 1) }))).code).toBe('invalid')
    expect((await failure(previewSeveral(ada, { mode: 'reject', changes: of(MOST_AT_ONCE + 1) }))).code).toBe('invalid')
    expect(await approveSeveral(ada, { mode: 'in-place', changes: of(MOST_AT_ONCE) })).toHaveLength(MOST_AT_ONCE)
  })
})

describe('what is said before', () => {
  test('what goes, how many machines are deleted, what approving means, and what is left out', async () => {
    const [plain, two, nowhere, only, own, frozen] = (await several(6)) as [Held, Held, Held, Held, Held, Held]
    await holds(two, { approvals: 3, reasonRequired: true })
    await holds(only, { strategy: 'in-place-only' })
    await holds(own, { notTheAuthor: true })
    await update(own, { author: 'ada@example.com' })
    await holds(frozen, {
      freezes: [{ starts: '2020-01-01T00:00', ends: '2099-01-01T00:00', timeZone: 'UTC', why: 'audit' }],
    })
    await update(nowhere, { outlook: { ...outlookIn(nowhere.change), inPlace: null, whyNotInPlace: 'No.' } as object })
    const changes = [plain, two, nowhere, only, own, frozen].map(looked)
    const stale = { changeId: plain.change.id, fingerprint: OTHER }
    const seen = await previewSeveral(ada, { mode: 'replace', changes })
    expect(seen.rows.map(({ groupName }) => groupName)).toEqual([plain.name, two.name, nowhere.name, frozen.name])
    expect(seen).toMatchObject({
      deleted: 4,
      irreversible: [expect.stringContaining('4 machines will be deleted')],
    })
    await db().group.update({ where: { id: plain.change.groupId }, data: { drainSeconds: 600 } })
    const limited = await previewSeveral(ada, { mode: 'replace', changes })
    expect(limited.irreversible[1]).toContain('In 1 of these 4 groups a drain is given up after 10m: pods')
    await db().group.update({ where: { id: plain.change.groupId }, data: { drainSeconds: null } })
    // Where nobody is asked, nothing is remembered.
    await db().managementCluster.updateMany({ data: { gateState: 'registered' } })
    const asked = await previewSeveral(ada, { mode: 'replace', changes })
    expect(asked.irreversible[1]).toContain('does not ask again for 24 hours')
    await db().managementCluster.updateMany({ data: { gateState: 'unregistered' } })
    expect(seen.rows[1]).toMatchObject({ left: 2, needed: 3, reasonFor: expect.stringMatching(/^the policy p-/) })
    expect(seen.rows[3]).toMatchObject({ left: 0, timing: { open: false, why: 'freeze' } })
    expect(seen.leftOut).toMatchObject([
      { groupName: only.name, why: expect.stringContaining('allows in place only') },
      { groupName: own.name, why: expect.stringContaining('nobody approves their own') },
    ])
    const inPlace = await previewSeveral(ada, { mode: 'in-place', changes: [looked(nowhere), stale] })
    expect(inPlace.leftOut.map(({ why }) => why)).toEqual([
      'This cannot be done in place. No.',
      'The desired state changed while you were looking at it.',
    ])
    // And not replacing either: nobody is sent there.
    await update(only, { outlook: { ...outlookIn(only.change), inPlace: null, whyNotInPlace: 'No.' } as object })
    const neither = await previewSeveral(ada, { mode: 'in-place', changes: [looked(only)] })
    expect(neither.leftOut).toMatchObject([
      {
        why: expect.stringContaining('allows in place only, and nothing else instead. No.'),
        hint: 'Change it back, write it so that an updater covers it, or change the policy.',
      },
    ])

    await approveSeveral(ada, { mode: 'replace', changes: [looked(two), looked(frozen)], reason: 'x' })
    const after = await previewSeveral(ada, { mode: 'replace', changes: [looked(two), looked(frozen)] })
    expect(after.leftOut.map(({ why }) => why)).toEqual([
      'You approved it so already; 2 more of 3 are needed.',
      'It is approved so already, and waits for its time.',
    ])
    const other = await previewSeveral(bo, { mode: 'replace', changes: [looked(two)] })
    expect(other.rows).toMatchObject([{ left: 1, needed: 3 }])
  })

  test('workers that would be newer than their control plane go, and that is said beside them', async () => {
    const held = await at.held()
    const { clusterId, namespace, workloadCluster } = held.change
    await db().group.create({
      data: {
        ...{ id: randomUUID(), clusterId, namespace, workloadCluster, kind: 'KubeadmControlPlane', name: 'cp' },
        ...{ apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2', version: 'v1.33.0', resourceVersion: '1' },
        createdAt: new Date(),
      },
    })
    const seen = await previewSeveral(ada, { mode: 'in-place', changes: [looked(held)] })
    expect(seen.rows).toMatchObject([{ risks: [expect.stringContaining('cp')] }])
  })

  test('what needs new machines and gets none while a version of its control plane is held says so', async () => {
    const held = await at.held()
    const { clusterId, namespace, workloadCluster } = held.change
    const of = { clusterId, namespace, workloadCluster }
    const id = randomUUID()
    await db().group.create({
      data: {
        ...{ ...of, id, kind: 'KubeadmControlPlane', name: 'cp', held: 'waits', resourceVersion: '1' },
        ...{ apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2', version: 'v1.35.0', createdAt: new Date() },
      },
    })
    const { id: planes } = await db().change.create({
      data: {
        ...{ ...of, groupId: id, groupKind: 'KubeadmControlPlane', groupName: 'cp', fingerprint: 'f', summary: 's' },
        ...{ state: 'waiting', heldBy: 'latch', fromVersion: 'v1.34.0', toVersion: 'v1.35.0', machines: 3 },
        ...{ changeSet: { pairs: [], fields: [] }, outlook: {}, resourceVersion: '1' },
      },
    })
    const risks = async (mode: 'replace' | 'reject') =>
      (await previewSeveral(ada, { mode, changes: [looked(held)] })).rows.flatMap((row) => row.risks).join(' ')
    expect(await risks('replace')).toMatch(
      /It gets no new machines while v1.35.0 of its control plane cp waits, and it needs/,
    )
    expect(await risks('reject')).toBe('')
    await db().change.update({ where: { id: planes }, data: { state: 'running' } })
    expect(await risks('replace')).not.toContain('no new machines')
  })

  test('no API server is asked', async () => {
    const held = await at.held()
    const asked = vi.mocked(kubeClientFor).mock.calls.length
    expect((await previewSeveral(ada, { mode: 'replace', changes: [looked(held)] })).rows).toHaveLength(1)
    expect(vi.mocked(kubeClientFor).mock.calls).toHaveLength(asked)
  })
})
