import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { againstOf } from '@/lib/services/changes/against'
import { approveChange } from '@/lib/services/changes/approve-change'
import { DECISION } from '@/lib/services/changes/patch-for'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { expectHeld, expectReleased, inputFor } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { newestOf, reconnected } from '@/testenv/reconnected'
import { settlingRollouts } from '@/testenv/settling'
import { ada, bo, row, timedCluster } from '@/testenv/timed'

useTestDatabase()
const cluster = timedCluster()
const { running, look, view } = cluster
const { allHaveIt, away, heldMidway, round } = settlingRollouts(cluster)
const ADA = { by: 'Ada', how: 'rejected' }

const takenAway = async ({ name, namespace }: Held) =>
  (await view()).client.patch(MD, name, namespace, 'merge', {
    metadata: { annotations: { [HELD]: null, [PAUSED]: null } },
  } as never)
async function rejected(): Promise<Held> {
  const held = await running()
  await rejectChange(ada, { ...(await heldMidway(held)), reason: 'bad image' })
  await look(held)
  return held
}
const against = async (held: Held) => againstOf(db(), (await newestOf(held)).change.id)

test('rejected, its hold taken away while its cluster was disconnected, and that disconnected once more: who said no is heard all the same', async () => {
  const held = await rejected()
  await reconnected(held, { meanwhile: async () => void (await takenAway(held)) })
  await look(held)
  expect(await against(held)).toEqual(ADA)
  await reconnected(held)
  await look(held)
  expect(await against(held)).toEqual(ADA)
}, 60_000)

test('and where its cluster is connected again under another name', async () => {
  const held = await rejected()
  const meanwhile = async () => {
    await takenAway(held)
    const data = { name: `before-${randomUUID()}`, server: 'https://x', state: 'disconnected' as const }
    const { id: clusterId } = await db().managementCluster.create({ data })
    await db().change.updateMany({ where: { groupId: held.change.groupId }, data: { clusterId } })
  }
  await reconnected(held, { meanwhile })
  await look(held)
  expect((await newestOf(held)).change.clusterId).toBe(cluster.at.clusterId)
  expect(await against(held)).toEqual(ADA)
}, 60_000)

test('rejected, and the cluster could not be told, and was disconnected then: who said no is heard until somebody approves it', async () => {
  const held = await rejected()
  const { id: changeId } = held.change
  const failed = { state: 'failed', acceptedAt: null, error: 'no route' }
  await db().decision.updateMany({ where: { changeId, mode: 'reject' }, data: failed })
  await db().change.update({ where: { id: changeId }, data: { state: 'waiting' } })
  const never = { metadata: { annotations: { [DECISION]: null } } }
  await (await view()).client.patch(MD, held.name, held.namespace, 'merge', never as never)
  await look(held)
  expect((await row(held)).state).toBe('waiting')
  await reconnected(held)
  await look(held)
  expect(await against(held)).toEqual(ADA)
  const again = await newestOf(held)
  const { id } = await approveChange(bo, inputFor(again))
  await expectReleased(again, id)
  expect(await against(held)).toBeNull()
}, 60_000)

test('taken back in the middle, held, and its cluster disconnected then: who took it back is heard all the same', async () => {
  const held = await running()
  const { id: changeId } = held.change
  await withdrawApproval(ada, { changeId })
  await away(held, 5)
  await round(held, 3)
  await expectHeld(held)
  expect(await against(held)).toEqual({ by: 'Ada', how: 'taken-back' })
  await reconnected(held, { meanwhile: async () => void (await takenAway(held)) })
  await look(held)
  const again = await newestOf(held)
  const { clusterId, namespace, groupKind, groupName, workloadCluster } = held.change
  await allHaveIt(held)
  await db().machine.create({
    data: {
      ...{ clusterId, namespace, groupKind, groupName, workloadCluster, provider: 'cluster.x-k8s.io' },
      ...{ phase: 'Running', state: 'ready', sentence: '', ready: true, available: true, upToDate: true },
      ...{ id: randomUUID(), name: 'again', node: 'n', resourceVersion: '1', createdAt: new Date(0) },
    },
  })
  const now = await round(again, 5)
  expect(now.stoppedWhy).toContain('Ada took the approval back')
}, 60_000)
