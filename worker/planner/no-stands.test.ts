import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { approveChange } from '@/lib/services/changes/approve-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { newestOf as waveNewestOf } from '@/lib/services/waves/newest'
import { annotations, audited, expectHeld, failure, inputFor } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { newestOf, reconnected } from '@/testenv/reconnected'
import { settlingRollouts } from '@/testenv/settling'
import { ada, bo, CLOSED, row, says } from '@/testenv/timed'
import { wavedCluster } from '@/testenv/waved'
import { holdToTimes } from './times'

useTestDatabase()
const cluster = wavedCluster()
const { running, slow, look, view } = cluster
const { allHaveIt, away, comesBack, heldMidway, round, settling } = settlingRollouts(cluster)
const SETS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinesets' }
const long = 120_000

const setsOf = async ({ namespace }: Held) => (await cluster.at.cluster.admin.list(SETS, namespace)).items
/** The old MachineSet is scaled up again: nothing else is wanted than before. */
async function oldAgain({ namespace }: Held, before: readonly KubeObject[]): Promise<void> {
  for (const { metadata, spec } of before) {
    const { template } = spec as { template: { spec: object } }
    const body = { spec: { template: { spec: template.spec } } } as never
    await cluster.at.cluster.admin.patch(SETS, metadata.name, namespace, 'merge', body)
  }
}
async function governed({ change: { groupId, clusterId } }: Held): Promise<void> {
  await db().group.update({ where: { id: groupId }, data: { governed: true } })
  await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'policy' } })
}
const takenAway = async ({ name, namespace }: Held) =>
  (await view()).client.patch(MD, name, namespace, 'merge', {
    metadata: { annotations: { [HELD]: null, [PAUSED]: null } },
  } as never)
/** Held in the middle of it, and rejected. */
async function rejected(held: Held): Promise<void> {
  await rejectChange(ada, { ...(await heldMidway(held)), reason: 'bad image' })
  await look(held)
}

test.each(['rejected', 'taken back', 'rejected, and the cluster could not be told'])(
  '%s, every machine had it, and an old one is there again: it is held again, and nobody outside is blamed',
  async (how) => {
    const held = await running()
    const { id: changeId } = held.change
    await governed(held)
    if (how === 'taken back') {
      await withdrawApproval(ada, { changeId })
      await away(held, 5)
      await round(held)
    } else await rejected(held)
    if (how.includes('could not be told')) {
      const failed = { state: 'failed', acceptedAt: null, error: 'no route' }
      await db().decision.updateMany({ where: { changeId, mode: 'reject' }, data: failed })
      await db().change.update({ where: { id: changeId }, data: { state: 'waiting' } })
    }
    await expectHeld(held)
    const before = await setsOf(held)
    await allHaveIt(held)
    expect(await round(held, 5)).toMatchObject({ settling: true, stoppedBy: '' })
    await oldAgain(held, before)
    const now = await round(held, 4)
    await expectHeld(held)
    expect(now).toMatchObject({ stoppedAt: null, settling: false })
    expect(['waiting', 'rejected']).toContain(now.state)
    if (how === 'rejected') expect(now.state).toBe('rejected')
    expect(await audited(held)).not.toContain('change.let-go ok')
  },
  long,
)

test(
  'rejected, not governed any more, and an old one is there again: nothing holds it, and nobody outside is blamed',
  async () => {
    const held = await running()
    await governed(held)
    await rejected(held)
    const before = await setsOf(held)
    await allHaveIt(held)
    await round(held, 5)
    await db().group.update({ where: { id: held.change.groupId }, data: { governed: false } })
    await oldAgain(held, before)
    await round(held, 4)
    expect(await audited(held)).not.toContain('change.let-go ok')
    expect(await annotations(held)).not.toHaveProperty([HELD])
  },
  long,
)

test(
  'rejected, and its hold taken away while its cluster was disconnected: it is not done by itself',
  async () => {
    const held = await running()
    await rejected(held)
    const { clusterId, namespace, groupKind, groupName, workloadCluster } = held.change
    await reconnected(held, { meanwhile: async () => void (await takenAway(held)) })
    await look(held)
    const again = await newestOf(held)
    await allHaveIt(held)
    await db().machine.create({
      data: {
        ...{ clusterId, namespace, groupKind, groupName, workloadCluster, provider: 'cluster.x-k8s.io' },
        ...{ phase: 'Running', state: 'ready', sentence: '', ready: true, available: true, upToDate: true },
        ...{ id: randomUUID(), name: 'last', node: 'n', resourceVersion: '1', createdAt: new Date(0) },
      },
    })
    const now = await round(again, 5)
    expect(now).toMatchObject({ settling: true, stoppedWhy: expect.stringContaining('Ada rejected it') as string })
  },
  long,
)

test(
  'an edit that was let go and taken back before anything moved says nothing of what the group had before',
  async () => {
    const held = await running()
    const { groupId, id } = held.change
    await withdrawApproval(ada, { changeId: id })
    await holdToTimes(await view())
    await look(held)
    await db().machineProgress.deleteMany({ where: { changeId: id } })
    await db().change.update({ where: { id }, data: { state: 'reverted', finishedAt: new Date() } })
    const has = { held: null, rollingOut: false, generation: 2, observedGeneration: 2, version: 'v1.34.0' }
    const all = { desiredReplicas: 1, replicas: 1, upToDateReplicas: 1, availableReplicas: 1 }
    await db().group.update({ where: { id: groupId }, data: { ...has, ...all } })
    expect((await waveNewestOf(db(), [groupId])).get(groupId)!.unended).toBeNull()
  },
  long,
)

test(
  'rejected before anything began, and its hold was taken away since: what is said of it is true',
  async () => {
    const held = await slow()
    await look(held)
    const { fingerprint } = await row(held)
    await rejectChange(ada, { changeId: held.change.id, fingerprint, reason: 'bad image' })
    await look(held)
    await db().managementCluster.update({ where: { id: held.change.clusterId }, data: { latchForm: 'policy' } })
    await takenAway(held)
    await look(held)
    await look(held)
    await away(held, 5)
    await allHaveIt(held)
    await comesBack(held)
    expect((await round(held, 5)).stoppedWhy).toBe('Ada rejected it, and every machine has it all the same')
  },
  long,
)

test(
  'taken back by a server whose clock is late: it is not done by itself',
  async () => {
    const held = await running()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 20_000 })
    await withdrawApproval(ada, { changeId: held.change.id }).finally(() => vi.useRealTimers())
    await away(held, 5)
    await round(held)
    await allHaveIt(held)
    await comesBack(held)
    expect((await round(held, 5)).state).not.toBe('done')
  },
  long,
)

test(
  'an approval besides, by which nothing went, is taken back: it is done by itself',
  async () => {
    const held = await running()
    await away(held, 5)
    await says(held, CLOSED)
    const { fingerprint } = await round(held)
    await approveChange(bo, { ...inputFor(held), fingerprint })
    await withdrawApproval(bo, { changeId: held.change.id })
    await allHaveIt(held)
    await comesBack(held)
    expect((await round(held, 5)).state).toBe('done')
  },
  long,
)

test(
  'counted as done by somebody who had not seen yet that its approval was taken back: they look at it anew',
  async () => {
    const held = await settling(5)
    const { id: changeId } = held.change
    expect(await round(held, 1)).toMatchObject({ settling: true, stoppedAt: null })
    // It began by nobody's word: so the approval can be taken back.
    await db().$executeRaw`UPDATE machine_progress SET begun_by = NULL WHERE change_id = ${changeId}::uuid`
    await withdrawApproval(ada, { changeId })
    const input = { changeId, stoppedAt: null, asDone: true, again: true, reason: 'x' }
    expect(await failure(acceptFailures(bo, input))).toMatchObject({ code: 'conflict' })
  },
  long,
)
