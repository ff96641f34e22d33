import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { KubeError, KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { audited, expectHeld, expectReleased, inputFor, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { ada, bo, decisions, FROZEN, lifted, row, says, timedCluster } from '@/testenv/timed'
import { kubeClientFor } from '../clusters/connection'
import { snapshotOf } from '../policies/snapshot'
import { applyDecision } from './apply'
import { approveChange } from './approve-change'
import { callsOf, decisionDto } from './change-row'
import { getChange } from './get-change'
import { goWhenDue } from './go-when-due'
import { rejectChange } from './reject-change'
import { withdrawApproval } from './withdraw-approval'

useTestDatabase()
const { at, slow } = timedCluster()

const AWAY = new KubeUnreachable('connection refused', 'GET')
const answer = (code: number) => new KubeError(code, { kind: 'Status', code, message: 'later' }, 'PATCH')

async function failing(error: Error, during: () => Promise<unknown>, call: 'get' | 'patch' = 'get') {
  const client = await kubeClientFor(at.clusterId)
  const real = client[call]
  client[call] = () => Promise.reject(error)
  await during().finally(() => (client[call] = real as never))
}
const ago = (held: Held, minutes: number) =>
  db().decision.updateMany({
    where: { changeId: held.change.id, state: 'voided' },
    data: { voidedAt: new Date(Date.now() - minutes * 60_000) },
  })
/** Long enough after what was tried before. */
async function tried(held: Held): Promise<boolean> {
  await ago(held, 16)
  return goWhenDue(held.change.id)
}
const approvedForLater = async (held: Held) => {
  await says(held, FROZEN)
  await approveChange(ada, inputFor(held))
  await lifted()
}
/** Approved, its time has come, and its cluster is away. */
async function putOff(): Promise<Held> {
  const held = await slow()
  await approvedForLater(held)
  await failing(AWAY, () => goWhenDue(held.change.id))
  expect(await states(held)).toEqual(['voided'])
  return held
}
const states = async (held: Held) => (await decisions(held)).map(({ state }) => state)
const tries = async (held: Held) => (await audited(held)).filter((entry) => /^(decision|change)\./.test(entry))

describe('what is due in a long outage', () => {
  test('stays one decision, with what was tried, and goes with it when its cluster is back', async () => {
    const held = await putOff()
    for (let times = 1; times < 12; times++) await failing(AWAY, () => tried(held))
    const [{ id, attempts }, ...others] = (await decisions(held)) as [Awaited<ReturnType<typeof decisions>>[0]]
    expect([others, attempts]).toEqual([[], 1])
    expect(await tries(held)).toEqual(['change.approved ok', 'decision.failed failed'])
    const { timeline } = await getChange(ada, { id: held.change.id })
    expect(timeline.filter(({ text }) => text.startsWith('Its time had come'))).toMatchObject([{ count: 12 }])
    expect(await tried(held)).toBe(true)
    await expectReleased(held, id)
    expect(await decisions(held)).toMatchObject([{ id, state: 'accepted', awaitsTime: false, error: null }])
    const accepted = await db().auditEvent.findFirstOrThrow({
      where: { targetId: held.change.id, action: 'decision.accepted' },
    })
    expect(accepted.details).toMatchObject({ decision: id, tries: 13 })
    const after = (await getChange(ada, { id: held.change.id })).timeline.map(({ text, count }) => [text, count])
    expect(after).toContainEqual([expect.stringMatching(/^Its time had come\. The cluster did not answer/), 12])
    expect(after.map(([text]) => text)).toContain('The API server accepted it.')
  })

  test('is tried ever more seldom', async () => {
    const held = await putOff()
    for (let times = 1; times < 4; times++) await failing(AWAY, () => tried(held))
    // Four times: half a minute, doubled three times.
    await ago(held, 3.9)
    expect(await goWhenDue(held.change.id)).toBe(false)
    expect(await states(held)).toEqual(['voided'])
    await ago(held, 4.1)
    expect(await goWhenDue(held.change.id)).toBe(true)
  })

  test('is on record once for each thing that stood in the way, and the answer is that of the last try', async () => {
    const held = await slow()
    await approvedForLater(held)
    await failing(answer(429), () => goWhenDue(held.change.id), 'patch')
    expect(decisionDto((await decisions(held))[0]!).answer).toBe('later')
    for (const error of [AWAY, answer(429), AWAY]) await failing(error, () => tried(held))
    const [decision] = await decisions(held)
    expect(decisionDto(decision!)).toMatchObject({
      answer: null,
      error: expect.stringMatching(/^The cluster did not/) as string,
    })
    expect(callsOf(decision!)).toMatchObject([{ code: 429, answer: 'later' }])
    expect(await tries(held)).toEqual(['change.approved ok', 'decision.failed failed', 'decision.put-off failed'])
    const { timeline } = await getChange(ada, { id: held.change.id })
    const told = timeline.filter(({ text }) => text.startsWith('Its time had come'))
    expect(told.map(({ count }) => count)).toEqual([2, 2])
  })

  test('what was sent each time is on record each time: of its calls a decision keeps the last ones', async () => {
    const held = await slow()
    await approvedForLater(held)
    await failing(answer(429), () => goWhenDue(held.change.id), 'patch')
    await failing(answer(429), () => tried(held), 'patch')
    expect(await tries(held)).toEqual(['change.approved ok', 'decision.failed failed', 'decision.put-off failed'])
  })

  test('is decided anew where it was tried over an hour ago, and people are told anew', async () => {
    const held = await putOff()
    await ago(held, 61)
    await failing(AWAY, () => goWhenDue(held.change.id))
    expect(await states(held)).toEqual(['voided', 'voided'])
    expect(await tries(held)).toEqual([
      ...['change.approved ok', 'decision.failed failed', 'change.approved ok', 'decision.failed failed'],
    ])
  })
})

describe('what was put off is not taken up again', () => {
  test('by an attempt from before: it finds that another one has it', async () => {
    const held = await slow()
    await approvedForLater(held)
    const client = await kubeClientFor(at.clusterId)
    const { get } = client
    /** The next read waits until it is let through. */
    const hanging = () => {
      let go = () => undefined as void
      const waits = new Promise<void>((resolve) => (go = resolve))
      const begun = new Promise<void>((resolve) => {
        client.get = ((...args: Parameters<KubeClient['get']>) => {
          client.get = get
          resolve()
          return waits.then(() => get(...args))
        }) as KubeClient['get']
      })
      return { begun, go }
    }
    const first = hanging()
    const stale = goWhenDue(held.change.id)
    await first.begun
    const { id } = (await decisions(held))[0]!
    await db().decision.update({ where: { id }, data: { claimedUntil: new Date(0) } })
    await failing(AWAY, () => applyDecision(id, 'worker'))
    expect(await states(held)).toEqual(['voided'])
    const second = hanging()
    const again = tried(held)
    await second.begun
    first.go()
    await stale
    await expectHeld(held)
    expect(await decisions(held)).toMatchObject([{ id, state: 'applying', sentAt: null }])
    second.go()
    await again
    await expectReleased(held, id)
  })

  test('once its approval is taken back; given anew, it is another decision', async () => {
    const held = await putOff()
    await withdrawApproval(ada, { changeId: held.change.id })
    expect(await tried(held)).toBe(false)
    await expectHeld(held)
    expect(await states(held)).toEqual(['voided'])
    await approvedForLater(held)
    await tried(held)
    expect(await states(held)).toEqual(['voided', 'accepted'])
    await expectReleased(held, (await decisions(held))[1]!.id)
  })

  test('with one approval less, though that is enough by now', async () => {
    const held = await slow()
    await says(held, { ...FROZEN, approvals: 2 })
    await approveChange(ada, inputFor(held))
    await approveChange(bo, inputFor(held))
    await lifted()
    await says(held, { approvals: 2 })
    await failing(AWAY, () => goWhenDue(held.change.id))
    await withdrawApproval(bo, { changeId: held.change.id })
    expect(await tried(held)).toBe(false)
    await expectHeld(held)
    expect([await states(held), (await row(held)).dueMode]).toEqual([['voided'], null])
  })

  test('where something else is wanted by now: nothing is released, and it is over', async () => {
    const held = await putOff()
    const template = { spec: { version: 'v1.99.9' } }
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { template } } as never)
    await tried(held)
    await expectHeld(held)
    const [decision] = await decisions(held)
    expect(decision).toMatchObject({ state: 'voided', awaitsTime: false, sentAt: null })
    expect(decision!.error).toMatch(/^The desired state of .* changed since this was decided/)
    await tried(held)
    await expectHeld(held)
    expect(await states(held)).toEqual(['voided'])
  })

  test('where somebody decided otherwise in between', async () => {
    const held = await putOff()
    await rejectChange(bo, { changeId: held.change.id, fingerprint: held.change.fingerprint, reason: 'no' })
    expect(await tried(held)).toBe(false)
    expect([await states(held), await stateOf(held)]).toEqual([['voided', 'accepted'], 'rejected'])
    await approvedForLater(held)
    await tried(held)
    expect(await states(held)).toEqual(['voided', 'voided', 'accepted'])
  })

  test('by other policies: what approves it is on record', async () => {
    const held = await putOff()
    await says(held, { approvals: 1 })
    await tried(held)
    expect(await states(held)).toEqual(['voided', 'accepted'])
    expect(snapshotOf((await decisions(held))[1]!)?.putOff).toBeUndefined()
  })

  test.each(['sentAt', 'acceptedAt'])('where it may have got through (%s)', async (field) => {
    const held = await putOff()
    const { id } = (await decisions(held))[0]!
    await db().decision.update({ where: { id }, data: { [field]: new Date() } })
    await tried(held)
    const [before, after] = await decisions(held)
    expect([before!.id, before!.state, after!.state]).toEqual([id, 'voided', 'accepted'])
  })
})
