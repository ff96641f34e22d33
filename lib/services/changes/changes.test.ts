import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { heldChange, MD, type Held } from '@/testenv/held'
import { applyLatch } from '@/testenv/latch'
import { until } from '@/testenv/process'
import { startApplier } from '@/worker/applier'
import { addCluster } from '../clusters/add-cluster'
import { closeClients, kubeClientFor } from '../clusters/connection'
import { systemCtx, type Ctx, type Role } from '../context'
import type { ServiceError } from '../errors'
import { applyDecision } from './apply'
import { approveChange } from './approve-change'
import { getChange } from './get-change'
import { DECISION } from './patch-for'
import { previewDecision } from './preview-decision'
import { rejectChange } from './reject-change'
import { retryDecision } from './retry-decision'

useTestDatabase()

const as = (role: Role, name = 'Ada'): Ctx => ({ actor: { kind: 'user', id: name.toLowerCase(), name, role } })
const approver = as('approver')
const FROZEN = 'drydock-test-frozen'
const POLICIES = { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'validatingadmissionpolicies' }

let cluster: SandboxTestCluster
let clusterId: string

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  clusterId = (await addCluster(systemCtx('test'), { name: 'm', kubeconfig: cluster.kubeconfig })).clusterId
  await applyLatch(cluster.admin)
})
afterAll(async () => {
  await closeClients()
  await cluster?.stop()
})

const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )
const inputFor = ({ change }: Held, mode: 'in-place' | 'replace' = 'replace') => ({
  changeId: change.id,
  fingerprint: change.fingerprint,
  mode,
})
const stateOf = async ({ change }: Held) => (await db().change.findUniqueOrThrow({ where: { id: change.id } })).state
const audited = async ({ change }: Held) =>
  (await db().auditEvent.findMany({ where: { targetId: change.id }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )
const annotations = async (held: Held) => (await held.read()).metadata.annotations ?? {}
const expectHeld = async (held: Held) => {
  const found = await annotations(held)
  expect(found[PAUSED]).toBe(PAUSED_BY_DRYDOCK)
  expect(found[HELD]).toBeDefined()
}
const expectReleased = async (held: Held, decision: string) => {
  const found = await annotations(held)
  expect(found).not.toHaveProperty([PAUSED])
  expect(found).not.toHaveProperty([HELD])
  expect(found[DECISION]).toBe(decision)
}

/** Something happens between two steps of ours: right before the next call of this kind. */
async function before(method: 'get' | 'patch', happens: () => Promise<unknown>): Promise<void> {
  const client = await kubeClientFor(clusterId)
  const real = client[method]
  client[method] = (async (...args: Parameters<typeof real>) => {
    client[method] = real as never
    await happens()
    return (real as (...a: unknown[]) => unknown)(...args)
  }) as never
}

/** What the transaction of a verb leaves behind when its process is killed right after it. */
async function recordedOnly(held: Held, more: object = {}): Promise<string> {
  const { id } = await db().decision.create({
    data: {
      ...{ changeId: held.change.id, fingerprint: held.change.fingerprint, mode: 'replace' },
      ...{ actorId: 'ada', actorName: 'Ada', recordedAt: new Date(Date.now() - 60_000), ...more },
    },
  })
  await db().change.update({ where: { id: held.change.id }, data: { state: 'approved' } })
  return id
}

describe('what is approved is what was looked at', () => {
  test('the calls that were shown are the calls that are made', async () => {
    const held = await heldChange(cluster, clusterId)
    const shown = await previewDecision(approver, { changeId: held.change.id, mode: 'replace' })
    expect(shown).toMatchObject({ fingerprint: held.change.fingerprint, needsTypedName: null })
    expect(shown.irreversible.join(' ')).toContain('1 machine will be deleted')
    const made = await approveChange(approver, inputFor(held))
    expect(made).toMatchObject({ state: 'accepted', error: null, attempts: 1 })
    const named = JSON.parse(JSON.stringify(shown.calls).replace('(the id of the decision)', made.id)) as object[]
    expect(made.calls.map(({ method, path, contentType, body }) => ({ method, path, contentType, body }))).toEqual(
      named,
    )
    expect(made.answer).toMatch(/^stored as resourceVersion \d+$/)
    await expectReleased(held, made.id)
    expect(await audited(held)).toEqual(['change.approved ok', 'decision.accepted ok'])
  })

  test('another fingerprint is a conflict, and nothing is recorded', async () => {
    const held = await heldChange(cluster, clusterId)
    const refused = await failure(approveChange(approver, { ...inputFor(held), fingerprint: 'f'.repeat(64) }))
    expect(refused.code).toBe('conflict')
    expect(refused.message).toBe('The desired state changed while you were looking at it.')
    expect(await db().decision.count({ where: { changeId: held.change.id } })).toBe(0)
    expect(await audited(held)).toEqual([])
    await expectHeld(held)
  })

  test('a desired state that Drydock has not seen yet is not released by an approval of the one before', async () => {
    const held = await heldChange(cluster, clusterId)
    await held.bump('v1.34.2')
    const made = await approveChange(approver, inputFor(held))
    expect(made).toMatchObject({ state: 'voided', calls: [] })
    expect(made.error).toContain('changed since this was decided')
    expect(await stateOf(held)).toBe('waiting')
    expect(await audited(held)).toEqual(['change.approved ok', 'decision.failed failed'])
    await expectHeld(held)
  })

  test('an object of the same name that is another one is left alone', async () => {
    const held = await heldChange(cluster, clusterId)
    await db().change.update({ where: { id: held.change.id }, data: { groupId: randomUUID() } })
    const made = await approveChange(approver, inputFor(held))
    expect(made).toMatchObject({ state: 'voided', calls: [] })
    expect(made.error).toContain('another object of the same name')
    await expectHeld(held)
  })

  test('a write that comes in between is read anew, and goes on only where it changed nothing that matters', async () => {
    const held = await heldChange(cluster, clusterId)
    const label = { metadata: { labels: { touched: 'yes' } } }
    await before('patch', () => cluster.admin.patch(MD, held.name, held.namespace, 'merge', label))
    const made = await approveChange(approver, inputFor(held))
    expect(made.calls.map((call) => call.code)).toEqual([409, 200])
    expect(made.state).toBe('accepted')
    await expectReleased(held, made.id)

    const other = await heldChange(cluster, clusterId)
    await before('patch', () => other.bump('v1.34.3'))
    const voided = await approveChange(approver, inputFor(other))
    expect(voided.calls.map((call) => call.code)).toEqual([409])
    expect(voided.state).toBe('voided')
    await expectHeld(other)
  })

  test('a decision that is voided while it is being applied releases nothing', async () => {
    const held = await heldChange(cluster, clusterId)
    const voiding = () =>
      db().decision.updateMany({ where: { changeId: held.change.id }, data: { state: 'voided', claimedUntil: null } })
    await before('get', voiding)
    const made = await approveChange(approver, inputFor(held))
    expect(made).toMatchObject({ state: 'voided', calls: [] })
    await expectHeld(held)
  })

  test('what the API server answered is on record, also where the decision was voided by then', async () => {
    const held = await heldChange(cluster, clusterId)
    await before('patch', () =>
      db().decision.updateMany({ where: { changeId: held.change.id }, data: { state: 'voided', claimedUntil: null } }),
    )
    const made = await approveChange(approver, inputFor(held))
    expect(made.state).toBe('voided')
    const last = await db().auditEvent.findFirstOrThrow({
      where: { targetId: held.change.id },
      orderBy: { id: 'desc' },
    })
    expect(last).toMatchObject({ action: 'decision.accepted', answer: expect.stringMatching(/^stored as/) as string })
    expect(last.details).toMatchObject({ late: 'voided or taken over meanwhile' })
  })

  test('an approval that has expired releases nothing', async () => {
    const held = await heldChange(cluster, clusterId)
    const id = await recordedOnly(held, { expiresAt: new Date(Date.now() - 1_000) })
    await applyDecision(id, 'test')
    expect(await db().decision.findUniqueOrThrow({ where: { id } })).toMatchObject({
      state: 'voided',
      error: 'The approval has expired. Nothing was released: decide again.',
    })
    await expectHeld(held)
  })
})

describe('deciding', () => {
  test('two people at once: one decides, the other hears of it', async () => {
    const held = await heldChange(cluster, clusterId)
    const both = await Promise.allSettled([
      approveChange(as('approver', 'Ada'), inputFor(held)),
      approveChange(as('approver', 'Bo'), inputFor(held, 'in-place')),
      rejectChange(as('operator', 'Cy'), { changeId: held.change.id, fingerprint: held.change.fingerprint }),
    ])
    const lost = both.filter((r) => r.status === 'rejected').map((r) => r.reason as ServiceError)
    expect(lost.map((error) => error.code)).toEqual(expect.arrayContaining(['conflict']))
    for (const error of lost) expect(error.message).toMatch(/this change is (approved|rejected) by now/)
    const spoken = await db().decision.findMany({ where: { changeId: held.change.id, state: { not: 'voided' } } })
    expect(spoken).toHaveLength(1)
  })

  test('a rejected change stays held, says so on the object, and can be approved later', async () => {
    const held = await heldChange(cluster, clusterId)
    const { id: changeId, fingerprint } = held.change
    const no = await rejectChange(as('operator', 'Cy'), { changeId, fingerprint, reason: 'not on a Friday' })
    expect(no).toMatchObject({ mode: 'reject', state: 'accepted', reason: 'not on a Friday' })
    expect((await annotations(held))[HELD]).toBe('rejected by Cy: not on a Friday')
    await expectHeld(held)
    expect(await stateOf(held)).toBe('rejected')
    expect((await failure(rejectChange(as('operator'), { changeId, fingerprint }))).code).toBe('conflict')
    const yes = await approveChange(approver, inputFor(held))
    expect(yes.state).toBe('accepted')
    await expectReleased(held, yes.id)
    const { decisions, timeline } = await getChange(as('viewer'), { id: changeId })
    expect(decisions.map((d) => `${d.mode} ${d.state}`)).toEqual(['reject voided', 'replace accepted'])
    expect(timeline.map((entry) => entry.text)).toContain('Cy rejected: not on a Friday')
  })

  test('where the policy asks for a reason, there is none without', async () => {
    const held = await heldChange(cluster, clusterId)
    await db().policy.update({ where: { clusterId }, data: { reasonNeeded: true } })
    try {
      const refused = await failure(approveChange(approver, { ...inputFor(held), reason: '  ' }))
      expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'reason' }] } })
      expect(await approveChange(approver, { ...inputFor(held), reason: 'patch day' })).toMatchObject({
        state: 'accepted',
        reason: 'patch day',
      })
    } finally {
      await db().policy.update({ where: { clusterId }, data: { reasonNeeded: false } })
    }
  })

  test('a person’s own pause is never taken away', async () => {
    const held = await heldChange(cluster, clusterId)
    const mine = { metadata: { annotations: { [PAUSED]: 'night shift' } } }
    await cluster.admin.patch(MD, held.name, held.namespace, 'merge', mine)
    const made = await approveChange(approver, inputFor(held))
    expect(made.state).toBe('accepted')
    const found = await annotations(held)
    expect(found[PAUSED]).toBe('night shift')
    expect(found).not.toHaveProperty([HELD])
  })

  test('a control plane is replaced only by somebody who typed its name', async () => {
    const held = await heldChange(cluster, clusterId, 'KubeadmControlPlane')
    expect(await previewDecision(approver, { changeId: held.change.id, mode: 'replace' })).toMatchObject({
      needsTypedName: held.name,
    })
    for (const typedName of [undefined, '', `${held.name} `]) {
      const refused = await failure(approveChange(approver, { ...inputFor(held), typedName }))
      expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'typedName' }] } })
    }
    expect(await db().decision.count({ where: { changeId: held.change.id } })).toBe(0)
    await expectHeld(held)
    const made = await approveChange(approver, { ...inputFor(held), typedName: held.name })
    expect(made.state).toBe('accepted')
    await expectReleased(held, made.id)
  })

  test('nothing is decided on a cluster that is being disconnected', async () => {
    const held = await heldChange(cluster, clusterId)
    await db().managementCluster.update({ where: { id: clusterId }, data: { state: 'disconnected' } })
    try {
      expect(await failure(approveChange(approver, inputFor(held)))).toMatchObject({ code: 'conflict' })
      expect(await audited(held)).toEqual([])
    } finally {
      await db().managementCluster.update({ where: { id: clusterId }, data: { state: 'pending' } })
    }
    await expectHeld(held)
  })
})

describe('refused, cut short, repeated', () => {
  const MESSAGE = 'The platform team has frozen this fleet until Monday.'

  test('the API server’s words are kept, and a retry goes through once it agrees', async () => {
    const held = await heldChange(cluster, clusterId)
    await freeze(MESSAGE)
    const made = await approveChange(approver, inputFor(held)).finally(thaw)
    expect(made.state).toBe('failed')
    expect(made.answer).toContain(MESSAGE)
    expect(made.calls.at(-1)).toMatchObject({ method: 'PATCH', code: expect.any(Number) as number })
    expect(await stateOf(held)).toBe('waiting')
    await expectHeld(held)
    const again = await retryDecision(approver, { decisionId: made.id })
    expect(again).toMatchObject({ id: made.id, state: 'accepted', error: null, attempts: 2 })
    await expectReleased(held, made.id)
    expect(await audited(held)).toEqual([
      'change.approved ok',
      'decision.failed refused',
      'decision.retried ok',
      'decision.accepted ok',
    ])
    expect((await failure(retryDecision(approver, { decisionId: made.id }))).code).toBe('conflict')
  })

  test('a failed decision is not repeated on a change that was decided otherwise since', async () => {
    const held = await heldChange(cluster, clusterId)
    await freeze(MESSAGE)
    const made = await approveChange(approver, inputFor(held)).finally(thaw)
    await rejectChange(as('operator'), { changeId: held.change.id, fingerprint: held.change.fingerprint })
    expect((await failure(retryDecision(approver, { decisionId: made.id }))).code).toBe('conflict')
    await expectHeld(held)
  })

  test('killed between recording and applying: applied once, whoever picks it up', async () => {
    const held = await heldChange(cluster, clusterId)
    const id = await recordedOnly(held)
    const appliers = [1, 2, 3].map((n) => startApplier({ owner: `w${n}`, intervalMs: 20, graceMs: 0 }))
    try {
      await until(
        'the decision to be accepted',
        async () => (await db().decision.findUnique({ where: { id } }))?.state === 'accepted',
        { ms: 10_000, every: 20 },
      )
    } finally {
      await Promise.all(appliers.map((applier) => applier.stop()))
    }
    await expectReleased(held, id)
    expect(await audited(held)).toEqual(['decision.accepted ok'])
    const { calls } = await db().decision.findUniqueOrThrow({ where: { id } })
    expect(calls).toHaveLength(1)
  })

  test('killed before the answer came: what was stored then is not written again', async () => {
    const held = await heldChange(cluster, clusterId)
    const { id } = await approveChange(approver, inputFor(held))
    // Meanwhile the desired state moves on and is held again: doing it once more would let go what nobody approved.
    await held.bump('v1.34.4')
    const then = await annotations(held)
    const past = new Date(Date.now() - 1_000)
    await db().decision.update({ where: { id }, data: { state: 'applying', claimedBy: 'dead', claimedUntil: past } })
    await applyDecision(id, 'other')
    expect(await db().decision.findUniqueOrThrow({ where: { id } })).toMatchObject({ state: 'accepted' })
    await expectHeld(held)
    expect(await annotations(held)).toEqual(then)
  })

  test('a claim that is alive is left alone', async () => {
    const held = await heldChange(cluster, clusterId)
    const claimedUntil = new Date(Date.now() + 60_000)
    const id = await recordedOnly(held, { state: 'applying', claimedBy: 'w1', claimedUntil })
    await applyDecision(id, 'w2')
    expect(await db().decision.findUniqueOrThrow({ where: { id } })).toMatchObject({ state: 'applying', attempts: 0 })
    await expectHeld(held)
  })

  test('a fault of our own is repeated, and not for ever', async () => {
    const held = await heldChange(cluster, clusterId)
    const id = await recordedOnly(held)
    const bug = () => Promise.reject(new TypeError('undefined is not a function'))
    for (let attempt = 1; attempt <= 5; attempt++) {
      await before('get', bug)
      await applyDecision(id, `w${attempt}`).catch((error: unknown) => expect(error).toBeInstanceOf(TypeError))
      await db().decision.update({ where: { id }, data: { claimedUntil: null } })
    }
    const { state, error } = await db().decision.findUniqueOrThrow({ where: { id } })
    expect({ state, error }).toMatchObject({ state: 'failed', error: expect.stringContaining('5 times') as string })
    expect(error).not.toContain('undefined')
    await expectHeld(held)
  })
})

/** Somebody else's policy refuses what Drydock writes. */
async function freeze(message: string): Promise<void> {
  const rule = {
    ...{ apiGroups: [MD.group], apiVersions: ['v1beta2'], operations: ['UPDATE'], resources: [MD.plural], scope: '*' },
  }
  await cluster.admin.create(POLICIES, {
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: { name: FROZEN } },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule] },
      matchConditions: [{ name: 'drydock', expression: 'request.userInfo.username == "drydock"' }],
      validations: [{ expression: 'false', message }],
    },
  })
  await cluster.admin.create(
    { ...POLICIES, plural: 'validatingadmissionpolicybindings' },
    {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding' },
      ...{ metadata: { name: FROZEN }, spec: { policyName: FROZEN, validationActions: ['Deny'] } },
    },
  )
}

async function thaw(): Promise<void> {
  await cluster.admin.delete({ ...POLICIES, plural: 'validatingadmissionpolicybindings' }, FROZEN)
  await cluster.admin.delete(POLICIES, FROZEN)
}
