import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { KubeError, type Status } from '@/lib/kubernetes/types'
import { annotations, latchedCluster } from '@/testenv/deciding'
import { planningContext, shownFree } from '@/testenv/planning'
import { planGroup } from './plan-group'
import { BY_MEMORY } from './remembered'

useTestDatabase()
const at = latchedCluster()
const HOUR = 3_600_000

test.each([
  ['nothing is remembered of it', null, true, ['waiting', 'gate', false, 0]],
  ['what was remembered is forgotten', 25 * HOUR, true, ['waiting', 'gate', false, 0]],
  ['it is remembered', HOUR, true, ['waiting', 'gate', true, 0]],
  ['it is remembered, and the API server refuses a pause', HOUR, false, ['running', 'none', false, 1]],
])('what nobody governs, and the gate holds: %s', async (_what, ago, stores, becomes) => {
  const held = await at.held()
  const { id, groupId } = held.change
  await db().group.update({ where: { id: groupId }, data: { governed: false } })
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { gateState: 'registered' } })
  const ended = new Date(Date.now() - (ago ?? 0))
  await db().change.update({ where: { id }, data: { state: 'superseded', finishedAt: ended } })
  const by = { mode: 'replace', actorId: 'ada', actorName: 'Ada', fingerprint: held.change.fingerprint }
  const sent = { sentAt: ended, acceptedAt: ended, voidedAt: ended }
  if (ago) await db().decision.create({ data: { changeId: id, state: 'voided', ...by, ...sent } })
  const context = await planningContext(at.clusterId)
  const { client } = context.view
  const patch = vi.fn((...of: Parameters<typeof client.patch>) =>
    stores ? client.patch(...of) : Promise.reject(new KubeError(403, { message: 'no' } as Status, 'PATCH')),
  )
  context.view.client = { ...client, patch }
  await planGroup(context, await shownFree(held))
  const [now] = await db().change.findMany({ where: { groupId }, orderBy: { detectedAt: 'desc' } })
  const told = await db().auditEvent.count({ where: { targetId: now!.id, action: 'change.not-held' } })
  const words = (await annotations(held))[HELD]
  expect([now!.state, now!.heldBy, words === BY_MEMORY, told]).toEqual(becomes)
  expect(patch).toHaveBeenCalledTimes(ago === HOUR ? 1 : 0)
})
