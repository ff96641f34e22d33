import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import type { ChangeOutcome } from '@/lib/services/changes/change-row'
import { recordBegun } from '@/lib/services/changes/moved-unapproved'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { pauseCluster } from '@/testenv/bootstrap-template'
import { audited, inputFor } from '@/testenv/deciding'
import { ago } from '@/testenv/faring'
import { ada, row, says, timedCluster } from '@/testenv/timed'
import { holdToTimes } from './times'

useTestDatabase()
const { at, view, look } = timedCluster()

test.each([
  ['a minute after', 1, true],
  ['in the moment of', 0, false],
])(
  'a machine that is made %s the hold has begun; what came after it is on record as let by nobody',
  async (_, minutes, unapproved) => {
    const held = await at.held()
    await says(held, { approvals: 1 })
    await pauseCluster(at.cluster.admin, held)
    await approveChange(ada, inputFor(held))
    await look(held)
    const { id: changeId } = held.change
    await withdrawApproval(ada, { changeId })
    await holdToTimes(await view())
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'waiting' })
    const when = { acceptedAt: ago(minutes + 1), voidedAt: ago(minutes) }
    await db().decision.updateMany({ where: { changeId }, data: when })
    const { clusterId, namespace, groupKind, groupName, workloadCluster } = held.change
    const of = { clusterId, namespace, groupKind, groupName, workloadCluster, provider: 'cluster.x-k8s.io' }
    const seen = { phase: 'Running', state: 'ready', sentence: '', ready: true, available: true, upToDate: true }
    const born = { id: crypto.randomUUID(), name: 'late', resourceVersion: '1', createdAt: new Date() }
    await db().machine.create({ data: { ...of, ...seen, ...born, verdict: 'up-to-date', machineSet: 'new' } })
    for (let i = 0; i < 3; i++) await look(held)
    expect((await row(held)).outcome as ChangeOutcome | null).toMatchObject({ created: 1 })
    const texts = (await getUpdate(ada, changeId)).timeline.map(({ text }) => text).join('\n')
    expect((await audited(held)).includes('change.moved-unapproved ok')).toBe(unapproved)
    if (unapproved) expect(texts).toContain('No approval of it was in force when late began.')
    expect(await row(held)).toMatchObject({ state: 'waiting' })
  },
)

test('of a MachineDeployment it is not said that a pool was paused, or was not', async () => {
  const held = await at.held()
  const begun = { name: 'late', letGo: false, approved: false, later: true }
  await db().$transaction((tx) => recordBegun(tx, held.change, 'prod', [begun]))
  const where = { action: 'change.moved-unapproved', targetId: held.change.id }
  const { reason } = await db().auditEvent.findFirstOrThrow({ where })
  expect(reason).toBe('It was not approved when late began.')
})
