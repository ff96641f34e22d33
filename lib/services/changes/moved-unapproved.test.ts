import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { POOL } from '@/lib/domain/latch/hold'
import { MOVED_UNAPPROVED, recordMovedUnapproved } from './moved-unapproved'

useTestDatabase()

async function aChange() {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  return db().change.create({
    data: {
      ...{
        clusterId,
        groupId: randomUUID(),
        groupKind: POOL,
        groupName: 'worker',
        namespace: '',
        workloadCluster: 'k',
      },
      ...{ fingerprint: 'f', state: 'waiting', summary: '', heldBy: 'latch', resourceVersion: '1', machines: 1 },
      ...{ changeSet: {}, outlook: {} },
    },
  })
}

const IN_FORCE = 'No approval of it was in force when n1 began.'

test.each<[string, object | null, string | null]>([
  ['nobody had approved it', null, 'Nobody had approved it when n1 began: the pool was paused only after that.'],
  ['a decision is being sent', {}, null],
  ['what was sent is not answered', { state: 'failed' }, null],
  ['what was sent was stored', { state: 'accepted', acceptedAt: new Date() }, null],
  ['what was sent was refused', { state: 'failed', sentAt: null }, IN_FORCE],
  ['what was sent was never stored, and is void', { state: 'voided' }, IN_FORCE],
])('a node slips while %s', async (_what, became, reason) => {
  const change = await aChange()
  const changeId = change.id
  const sent = { fingerprint: 'f', mode: 'in-place', actorId: 'ada', actorName: 'Ada' }
  const { id } = await db().decision.create({
    data: { changeId, ...sent, state: became ? 'applying' : 'recorded', sentAt: became ? new Date() : null },
  })
  await db().machineProgress.create({
    data: { changeId, machineId: randomUUID(), machineName: 'n1', state: 'updating', startedAt: new Date() },
  })
  await db().decision.update({ where: { id }, data: became ?? {} })
  for (const _again of [1, 2]) await db().$transaction((tx) => recordMovedUnapproved(tx, change, 'm'))
  const events = await db().auditEvent.findMany({ where: { targetId: changeId, action: MOVED_UNAPPROVED } })
  expect(events.map((one) => one.reason)).toEqual(reason === null ? [] : [reason])
})
