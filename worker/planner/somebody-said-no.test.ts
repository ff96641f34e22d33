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
import { audited, expectHeld, inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { lostAnswer } from '@/testenv/lost-answer'
import { settlingRollouts } from '@/testenv/settling'
import { ada, bo, row } from '@/testenv/timed'
import { placed, waved, wavedCluster } from '@/testenv/waved'
import { holdToTimes } from './times'

useTestDatabase()
const cluster = wavedCluster()
const { running, slow, place, look, view } = cluster
const { allHaveIt, away, comesBack, round, settling } = settlingRollouts(cluster)
const SETS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinesets' }
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
    await away(canary, 5)
    await pauseChange(bo, { changeId: canary.change.id })
    const { fingerprint } = await rounds(canary)
    await isThrough(canary)
    await rejectChange(ada, { changeId: canary.change.id, fingerprint, reason: 'bad image' })
    await expectNotDone(canary, next)
  },
  long,
)

test(
  'rejected, and the answer to that is lost until its last machine is through: it is not done by that',
  async () => {
    const { canary, next } = await canaryAndNext()
    await away(canary, 5)
    const { id: changeId, clusterId } = canary.change
    await pauseChange(bo, { changeId })
    const { fingerprint } = await rounds(canary)
    const { again } = await lostAnswer(clusterId, canary, () =>
      rejectChange(ada, { changeId, fingerprint, reason: 'bad image' }),
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
    await away(canary, 5)
    const { id: changeId, clusterId } = canary.change
    await pauseChange(bo, { changeId })
    const { fingerprint } = await rounds(canary)
    const client = await kubeClientFor(clusterId)
    const { get } = client
    client.get = () => Promise.reject(new KubeUnreachable('no route', 'GET'))
    await rejectChange(ada, { changeId, fingerprint, reason: 'bad image' }).finally(() => (client.get = get))
    await isThrough(canary)
    await expectNotDone(canary, next)
  },
  long,
)

test(
  'rejected, every machine had it, and an old one is there again: the rejection stands, and nobody outside is blamed',
  async () => {
    const held = await running()
    await away(held, 5)
    const { id: changeId, groupId, clusterId } = held.change
    await db().group.update({ where: { id: groupId }, data: { governed: true } })
    await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'policy' } })
    await pauseChange(bo, { changeId })
    const { fingerprint } = await round(held)
    await rejectChange(ada, { changeId, fingerprint, reason: 'bad image' })
    await look(held)
    const { admin } = cluster.at.cluster
    const before = (await admin.list(SETS, held.namespace)).items
    await allHaveIt(held)
    expect(await round(held, 5)).toMatchObject({ settling: true, stoppedBy: '' })
    // The old MachineSet is scaled up again: nothing else is wanted than what Ada rejected.
    for (const { metadata, spec } of before) {
      const { template } = spec as { template: { spec: object } }
      const body = { spec: { template: { spec: template.spec } } } as never
      await admin.patch(SETS, metadata.name, held.namespace, 'merge', body)
    }
    await round(held, 4)
    await expectHeld(held)
    expect(await audited(held)).not.toContain('change.let-go ok')
    expect((await row(held)).state).toBe('rejected')
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
    await away(held, 5)
    const { id: changeId } = held.change
    await pauseChange(bo, { changeId })
    const { fingerprint } = await round(held)
    await rejectChange(ada, { changeId, fingerprint, reason: 'bad image' })
    await look(held)
    await allHaveIt(held)
    expect(await round(held, 5)).toMatchObject({ settling: true, stoppedBy: '' })
    const told = (await db().message.findMany()).filter(({ body }) => JSON.stringify(body).includes(changeId))
    await db().webhook.deleteMany()
    expect(told).toHaveLength(1)
  },
  long,
)
