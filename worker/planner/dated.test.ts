import { afterEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { outlookIn } from '@/lib/services/changes/change-row'
import { as, expectReleased, latchedCluster } from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()
afterEach(() => void vi.useRealTimers())

test('what was approved for a date stays approved until that comes, and nobody is told that machines moved', async () => {
  const held = await at.held()
  const after = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19) + 'Z'
  const back = { rollout: { after }, template: { spec: { version: 'v1.34.0' } } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: back } as never)
  const look = async () => {
    await planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind: held.kind })
    return db().change.findFirstOrThrow({
      where: { groupId: held.change.groupId },
      orderBy: { detectedAt: 'desc' },
    })
  }
  const change = await look()
  expect(change).toMatchObject({ state: 'waiting' })
  expect(outlookIn(change).notBefore).toBe(after)
  const input = { changeId: change.id, fingerprint: change.fingerprint, mode: 'replace' as const }
  const decision = await approveChange(as('approver'), input)
  await expectReleased(held, decision.id)
  for (const _again of [1, 2]) expect(await look()).toMatchObject({ id: change.id, state: 'approved', outcome: null })
  expect(await db().decision.findUnique({ where: { id: decision.id } })).toMatchObject({ state: 'seen' })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(after) + 1_000 })
  expect(await look()).toMatchObject({ id: change.id, state: 'running' })
})
