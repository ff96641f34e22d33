import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { KubeError } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { callsOf } from '@/lib/services/changes/change-row'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { lostAnswer } from '@/testenv/lost-answer'
import { ada, decisions, lifted, says, timedCluster } from '@/testenv/timed'

useTestDatabase()
const { at, slow } = timedCluster()

/** What was sent, and nobody answered. */
const onItsWay = (held: Held) => lostAnswer(at.clusterId, held, () => approveChange(ada, inputFor(held)))

/** While the API server answers every call of a kind that it cannot. */
async function cannot(method: 'get' | 'patch', code: number, message: string, during: () => Promise<unknown>) {
  const client = await kubeClientFor(at.clusterId)
  const real = client[method]
  client[method] = () => Promise.reject(new KubeError(code, { kind: 'Status', code, message }, method))
  await during().finally(() => (client[method] = real as never))
}

test.each([
  ['patch', 503, 'try later'],
  ['patch', 429, 'too many requests'],
  ['get', 503, 'try later'],
] as const)(
  'failed for good, and taken back while the API server answers a %s with %i: both are on record',
  async (method, code, message) => {
    const held = await slow()
    await onItsWay(held)
    const { id: changeId } = held.change
    await db().decision.updateMany({ where: { changeId }, data: { state: 'failed', claimedUntil: null } })
    await db().change.update({ where: { id: changeId }, data: { state: 'waiting' } })
    await cannot(method, code, message, () => withdrawApproval(ada, { changeId }))
    const where = { targetId: changeId, action: 'decision.overtaken' }
    const over = await db().auditEvent.findFirstOrThrow({ where })
    expect(over).toMatchObject({ result: 'failed', answer: expect.stringContaining(message) as string })
    const [decision] = await decisions(held)
    expect(decision!.state).toBe('voided')
    if (method === 'patch') expect(callsOf(decision!).at(-1)).toMatchObject({ code, answer: message })
  },
)

test('what is not wanted any more is written over again where the API server answers that it cannot', async () => {
  const held = await slow()
  const { land, again } = await onItsWay(held)
  await says(held, { approvals: 2 })
  const message = 'too many requests'
  await cannot('patch', 429, message, () => again().catch(() => undefined))
  const [decision] = await decisions(held)
  expect([decision!.state, callsOf(decision!).at(-1)]).toMatchObject(['applying', { code: 429, answer: message }])
  await again()
  expect((await decisions(held))[0]).toMatchObject({ state: 'voided' })
  await expect(land()).rejects.toMatchObject({ code: 409 })
  await lifted()
})
