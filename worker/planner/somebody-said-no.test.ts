import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { KubeUnreachable } from '@/lib/kubernetes/types'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { expectHeld, inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { lostAnswer } from '@/testenv/lost-answer'
import { settlingRollouts } from '@/testenv/settling'
import { ada, bo, row } from '@/testenv/timed'
import { placed, waved, wavedCluster } from '@/testenv/waved'
import { holdToTimes } from './times'

useTestDatabase()
const cluster = wavedCluster()
const { running, slow, place, look, view } = cluster
const { allHaveIt, away, comesBack, heldMidway, round, settling } = settlingRollouts(cluster)
const long = 120_000

async function rounds(held: Held, times = 3) {
  const found = await round(held, times)
  await place()
  return found
}
/** A canary under way, and what is approved and waits for it. */
async function canaryAndNext(): Promise<{ canary: Held; next: Held }> {
  const canary = await running()
  const next = await slow()
  await waved([canary, next], [{ name: 'canary' }, { name: 'next' }], {})
  await approveChange(bo, inputFor(next))
  return { canary, next }
}
async function isThrough(canary: Held): Promise<void> {
  await allHaveIt(canary)
  await comesBack(canary)
}
/** Every machine has what it wants; then an edit of it is taken back. */
async function isEditedAndBack(canary: Held): Promise<void> {
  await db().group.update({
    where: { id: canary.change.groupId },
    data: {
      ...{ version: 'v1.34.1', generation: 2, observedGeneration: 2, held: null, rollingOut: false },
      ...{ desiredReplicas: 1, replicas: 1, upToDateReplicas: 1, availableReplicas: 1 },
    },
  })
  for (const version of ['v1.34.2', 'v1.34.1']) {
    await canary.bump(version)
    await look(canary)
  }
  await rounds(canary)
}
async function expectNotDone(canary: Held, next: Held): Promise<void> {
  expect((await rounds(canary, 5)).state).not.toBe('done')
  expect((await placed(next)).state).toBe('waits')
  await expectHeld(next)
}

test(
  'taken back, and held while its last machine is on its way: it is not done by that one being through',
  async () => {
    const { canary, next } = await canaryAndNext()
    await withdrawApproval(ada, { changeId: canary.change.id })
    await away(canary, 5)
    expect(await rounds(canary)).toMatchObject({ state: 'waiting', pausedUntilHeld: false })
    await expectHeld(canary)
    await isThrough(canary)
    await expectNotDone(canary, next)
  },
  long,
)

test(
  'taken back, and through before anybody saw anything begin: it was not changed back, and is not done by that',
  async () => {
    const { canary, next } = await canaryAndNext()
    await withdrawApproval(ada, { changeId: canary.change.id })
    // The worker holds it, and finds every machine with what the group wants.
    await holdToTimes(await view())
    await isThrough(canary)
    await expectNotDone(canary, next)
    expect((await row(canary)).state).not.toBe('reverted')
  },
  long,
)

test(
  'taken back while it is held, and its last machine is through: it is not done by that',
  async () => {
    const { canary, next } = await canaryAndNext()
    await away(canary, 5)
    // It began by nobody's word.
    await db().$executeRaw`UPDATE machine_progress SET begun_by = NULL WHERE change_id = ${canary.change.id}::uuid`
    await pauseChange(bo, { changeId: canary.change.id })
    expect((await rounds(canary)).state).toBe('waiting')
    await withdrawApproval(ada, { changeId: canary.change.id })
    await isThrough(canary)
    await expectNotDone(canary, next)
  },
  long,
)

test(
  'rejected in the moment in which its last machine is through: it is not done by that',
  async () => {
    const { canary, next } = await canaryAndNext()
    const what = await heldMidway(canary)
    await isThrough(canary)
    await rejectChange(ada, { ...what, reason: 'bad image' })
    await expectNotDone(canary, next)
  },
  long,
)

test(
  'rejected, and the answer to that is lost until its last machine is through: it is not done by that',
  async () => {
    const { canary, next } = await canaryAndNext()
    const what = await heldMidway(canary)
    const { again } = await lostAnswer(canary.change.clusterId, canary, () =>
      rejectChange(ada, { ...what, reason: 'bad image' }),
    )
    await isThrough(canary)
    await again()
    await expectNotDone(canary, next)
  },
  long,
)

test(
  'a rejection that the cluster could not be told, and its last machine is through: it is not done by that',
  async () => {
    const { canary, next } = await canaryAndNext()
    const what = await heldMidway(canary)
    const client = await kubeClientFor(canary.change.clusterId)
    const { get } = client
    client.get = () => Promise.reject(new KubeUnreachable('no route', 'GET'))
    await rejectChange(ada, { ...what, reason: 'bad image' }).finally(() => (client.get = get))
    await isThrough(canary)
    await expectNotDone(canary, next)
  },
  long,
)

test(
  'taken back, through before it was held, and an edit of it is taken back: the next wave does not go by it',
  async () => {
    const { canary, next } = await canaryAndNext()
    await withdrawApproval(ada, { changeId: canary.change.id })
    await away(canary, 5)
    await isThrough(canary)
    await isEditedAndBack(canary)
    expect((await row(canary)).state).toBe('superseded')
    expect((await placed(next)).state).toBe('waits')
  },
  long,
)

test(
  'counted as done where it had stopped and an approval had been taken back as well: one word is enough',
  async () => {
    const held = await settling(5)
    expect(await round(held, 1)).toMatchObject({ settling: true })
    const stop = { stoppedBy: 'p', stoppedWhy: '1 machine failed', stoppedAt: new Date() }
    const back = {
      pausedBy: 'Ada',
      pausedReason: 'took the approval back',
      pausedAt: new Date(),
      pausedUntilHeld: true,
    }
    await db().change.update({ where: { id: held.change.id }, data: { ...back, ...stop } })
    const { stoppedAt } = await round(held)
    const input = { changeId: held.change.id, reason: 'x', again: true, asDone: true }
    await acceptFailures(bo, { ...input, stoppedAt: stoppedAt!.toISOString() })
    expect((await round(held)).state).toBe('done')
  },
  long,
)

test(
  'that a rollout waits for somebody’s word is told to webhooks, as a stop is',
  async () => {
    await db().webhook.create({
      data: { sealed: Buffer.from('x'), keyId: 'k', host: 'h', hasToken: false, setBy: 'x' },
    })
    const held = await running()
    const what = await heldMidway(held)
    const { changeId } = what
    await rejectChange(ada, { ...what, reason: 'bad image' })
    await look(held)
    await allHaveIt(held)
    expect(await round(held, 5)).toMatchObject({ settling: true, stoppedBy: '' })
    const told = (await db().message.findMany()).filter(({ body }) => JSON.stringify(body).includes(changeId))
    await db().webhook.deleteMany()
    expect(told).toHaveLength(1)
  },
  long,
)

test(
  'taken back while no worker looks, every machine has it, edited and edited back: nobody saw it move, and no wave goes by it',
  async () => {
    const { canary, next } = await canaryAndNext()
    await withdrawApproval(ada, { changeId: canary.change.id })
    await isThrough(canary)
    await isEditedAndBack(canary)
    expect(await placed(next)).toMatchObject({
      state: 'waits',
      why: expect.stringContaining('stopped, never counted as done, and over') as string,
    })
    await expectHeld(next)
  },
  long,
)
