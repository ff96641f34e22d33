import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { before } from '@/testenv/before'
import {
  as,
  annotations,
  audited,
  expectHeld,
  expectReleased,
  failure,
  inputFor,
  latchedCluster,
  recordedOnly,
  stateOf,
} from '@/testenv/deciding'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { MD } from '@/testenv/held'
import { until } from '@/testenv/process'
import { startApplier } from '@/worker/applier'
import { kubeClientFor } from '../clusters/connection'
import { applyDecision } from './apply'
import { approveChange } from './approve-change'
import { letGoOf } from './let-go'
import { rejectChange } from './reject-change'
import { retryDecision } from './retry-decision'

useTestDatabase()

const approver = as('approver')
const FROZEN = 'drydock-test-frozen'
const POLICIES = { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'validatingadmissionpolicies' }
const at = latchedCluster()

describe('refused, cut short, repeated', () => {
  const MESSAGE = 'The platform team has frozen this fleet until Monday.'

  test('the API server’s words are kept, and a retry goes through once it agrees', async () => {
    const held = await at.held()
    await freeze(MESSAGE)
    const made = await approveChange(approver, inputFor(held)).finally(thaw)
    expect(made.state).toBe('failed')
    // Surely not stored: what it may be changed back to is what it was, and nobody was told anything.
    expect(await letGoOf(held.change.clusterId, held.change.groupId)).not.toBeNull()
    expect(await db().decision.findUniqueOrThrow({ where: { id: made.id } })).toMatchObject({ sentAt: null })
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
    const held = await at.held()
    await freeze(MESSAGE)
    const made = await approveChange(approver, inputFor(held)).finally(thaw)
    await rejectChange(as('operator'), { changeId: held.change.id, fingerprint: held.change.fingerprint })
    expect((await failure(retryDecision(approver, { decisionId: made.id }))).code).toBe('conflict')
    await expectHeld(held)
  })

  test('killed between recording and applying: applied once, whoever picks it up', async () => {
    const held = await at.held()
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

  test('stored, and its answer lost: not a failure, and found when the object is read again', async () => {
    const held = await at.held()
    const client = await kubeClientFor(at.clusterId)
    const { patch } = client
    client.patch = async (...args) => {
      client.patch = patch
      await patch(...args)
      throw new KubeUnreachable('the connection was reset', 'PATCH')
    }
    const made = await approveChange(approver, inputFor(held))
    expect(made).toMatchObject({ state: 'applying', error: null })
    expect(await stateOf(held)).toBe('approved')
    // Whatever becomes of the decision from here on: Cluster API may act on it.
    expect((await db().decision.findUniqueOrThrow({ where: { id: made.id } })).sentAt).not.toBeNull()
    await db().decision.update({ where: { id: made.id }, data: { claimedUntil: new Date(0) } })
    await applyDecision(made.id, 'worker')
    expect(await db().decision.findUniqueOrThrow({ where: { id: made.id } })).toMatchObject({ state: 'accepted' })
    await expectReleased(held, made.id)
    expect(await audited(held)).toEqual(['change.approved ok', 'decision.accepted ok'])
  })

  test('failed in admission, it was not stored, and nobody was told anything; failed otherwise, it may have been', async () => {
    const held = await at.held()
    const client = await kubeClientFor(at.clusterId)
    const { patch } = client
    const fails = async (code: number, message: string) => {
      client.patch = () => Promise.reject(new KubeError(code, { kind: 'Status', code, message }, 'PATCH'))
      const { id, unsure, noAnswer } = await approveChange(approver, inputFor(held)).finally(
        () => (client.patch = patch),
      )
      return { ...(await db().decision.findUniqueOrThrow({ where: { id } })), unsure, noAnswer }
    }
    const refused = await fails(500, 'failed calling webhook "x": connection refused')
    expect(refused).toMatchObject({ sentAt: null, unsure: false, noAnswer: false })
    const late = { sentAt: expect.any(Date) as Date, unsure: true, noAnswer: true }
    expect(await fails(504, 'the request timed out')).toMatchObject(late)
    const { get } = client
    client.get = () => Promise.reject(new KubeUnreachable('connection reset', 'GET'))
    const unread = await approveChange(approver, inputFor(held)).finally(() => (client.get = get))
    expect(unread).toMatchObject({ state: 'failed', unsure: false, noAnswer: true })
    await expectHeld(held)
  })

  test('killed before the answer came: what was stored then is not written again', async () => {
    const held = await at.held()
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
    const held = await at.held()
    const claimedUntil = new Date(Date.now() + 60_000)
    const id = await recordedOnly(held, { state: 'applying', claimedBy: 'w1', claimedUntil })
    await applyDecision(id, 'w2')
    expect(await db().decision.findUniqueOrThrow({ where: { id } })).toMatchObject({ state: 'applying', attempts: 0 })
    await expectHeld(held)
  })

  test('a fault of our own is repeated, and not for ever', async () => {
    const held = await at.held()
    const id = await recordedOnly(held)
    const bug = () => Promise.reject(new TypeError('undefined is not a function'))
    for (let attempt = 1; attempt <= 5; attempt++) {
      await before(at.clusterId, 'get', bug)
      await applyDecision(id, `w${attempt}`).catch((error: unknown) => expect(error).toBeInstanceOf(TypeError))
      await db().decision.update({ where: { id }, data: { claimedUntil: null } })
    }
    const { state, error } = await db().decision.findUniqueOrThrow({ where: { id } })
    expect({ state, error }).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('gave up after 5 tries') as string,
    })
    expect(error).not.toContain('undefined')
    await expectHeld(held)
  })
})

/** Somebody else's policy refuses what Drydock writes. */
async function freeze(message: string): Promise<void> {
  const rule = {
    ...{ apiGroups: [MD.group], apiVersions: ['v1beta2'], operations: ['UPDATE'], resources: [MD.plural], scope: '*' },
  }
  await at.cluster.admin.create(POLICIES, {
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: { name: FROZEN } },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule] },
      matchConditions: [{ name: 'drydock', expression: 'request.userInfo.username == "drydock"' }],
      validations: [{ expression: 'false', message }],
    },
  })
  await at.cluster.admin.create(
    { ...POLICIES, plural: 'validatingadmissionpolicybindings' },
    {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding' },
      ...{ metadata: { name: FROZEN }, spec: { policyName: FROZEN, validationActions: ['Deny'] } },
    },
  )
}

async function thaw(): Promise<void> {
  await at.cluster.admin.delete({ ...POLICIES, plural: 'validatingadmissionpolicybindings' }, FROZEN)
  await at.cluster.admin.delete(POLICIES, FROZEN)
}
