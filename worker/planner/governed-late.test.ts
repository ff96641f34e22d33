import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { OPEN } from '@/lib/services/changes/states'
import { approveChange } from '@/lib/services/changes/approve-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { annotations, expectHeld, inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { newestOf, reconnected } from '@/testenv/reconnected'
import { ada, bo, cy } from '@/testenv/timed'
import { planningContext } from '@/testenv/planning'
import { placed, wavedCluster } from '@/testenv/waved'
import { planGroup } from './plan-group'
import { holdToTimes } from './times'

useTestDatabase()
const { running, slow, place, look, view } = wavedCluster()

test('a pool that was let go, and is not governed any more on its way: the next wave waits for it all the same', async () => {
  const [first, second, next] = [await running(), await running(), await slow()]
  const names = (...held: { name: string }[]) => ({ names: held.map(({ name }) => name) })
  const waves = [
    { name: 'canary', select: names(first, second) },
    { name: 'next', select: names(next) },
  ]
  await savePolicy(cy, { name: `p-${randomUUID()}`, spec: { select: names(first, second, next), waves } })
  await db().change.update({ where: { id: first.change.id }, data: { state: 'done', finishedAt: new Date() } })
  const kind = 'MachineConfigPool'
  await db().change.update({ where: { id: second.change.id }, data: { groupKind: kind } })
  // It rolls by an approval; somebody takes the label away by which it was governed. Before anything of this is kept.
  await db().group.update({ where: { id: second.change.groupId }, data: { kind, governed: false, held: null } })
  await approveChange(bo, inputFor(next))
  await place()
  expect((await placed(next)).state).toBe('waits')
  await expectHeld(next)
}, 60_000)

async function again(held: Held, governed: boolean): Promise<Held> {
  const { clusterId, groupId } = held.change
  // Its namespace, whose label says so, is listed a moment later: the planner does not wait for that.
  await db().policy.updateMany({ where: { clusterId }, data: { governs: 'namespace-label' } })
  await reconnected(held, { governed: false })
  const context = await planningContext(clusterId)
  const unheard = { ...context, view: { ...context.view, heard: () => 'open' as const } }
  // Nothing is said of it before it is known who governs it.
  await planGroup(unheard, { ...(await held.read()), kind: held.kind })
  expect(await db().change.count({ where: { groupId, state: { in: OPEN } } })).toBe(0)
  await db().group.update({ where: { id: groupId }, data: { governed } })
  await look(held)
  return newestOf(held)
}

test.each([
  ['steps', true],
  ['taken back', true],
  ['stopped', true],
  ['taken back', false],
])(
  '%s, and governed: %j, known a moment after it is connected again: it is held by that alone',
  async (how, governed) => {
    const before = await running()
    const { id } = before.change
    const stop = { stoppedBy: 'p', stoppedWhy: '1 machine failed', stoppedAt: new Date() }
    if (how === 'taken back') await withdrawApproval(ada, { changeId: id })
    else await db().change.update({ where: { id }, data: how === 'steps' ? { steps: 1 } : stop })
    const held = await again(before, governed)
    for (let i = 0; i < 3; i++) {
      await look(held)
      await holdToTimes(await view())
    }
    if (governed) await expectHeld(held)
    else expect(await annotations(held)).not.toHaveProperty([HELD])
  },
  60_000,
)
