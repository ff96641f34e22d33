import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { OPEN } from '@/lib/services/changes/states'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { annotations, audited, expectHeld, failure, inputFor } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
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

/** Its group is planned, and of namespaces nothing is there yet. */
async function lookBefore(held: Held, namespaces: 'open' | 'refused'): Promise<void> {
  const { clusterId } = held.change
  await db().policy.updateMany({ where: { clusterId }, data: { governs: 'namespace-label' } })
  const context = await planningContext(clusterId)
  const then = { ...context, view: { ...context.view, heard: () => namespaces } }
  await planGroup(then, { ...(await held.read()), kind: held.kind })
}
const opens = ({ change: { groupId } }: Held) => db().change.count({ where: { groupId, state: { in: OPEN } } })

async function again(held: Held, governed: boolean): Promise<Held> {
  const { groupId } = held.change
  // Its namespace, whose label says so, is listed a moment later: the planner begins all the same.
  await reconnected(held, { governed: false })
  await lookBefore(held, 'open')
  // Nothing is said of it before it is known who governs it.
  expect(await opens(held)).toBe(0)
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

test.each([true, false])(
  'approved before a disconnect, and governed: %j, known a moment after it is connected again: only then it is on record as left, and can be paused',
  async (governed) => {
    const held = await again(await running(), governed)
    expect(await audited(held)).toEqual(governed ? ['change.left ok'] : [])
    const paused = pauseChange(bo, { changeId: held.change.id })
    if (!governed) return void expect(await failure(paused)).toMatchObject({ code: 'conflict' })
    await paused
    await holdToTimes(await view())
    await expectHeld(held)
  },
  60_000,
)

test('approved before a disconnect, and namespaces are refused when it is connected again: it can be paused as what was governed', async () => {
  const before = await running()
  await reconnected(before, { governed: false })
  await lookBefore(before, 'refused')
  const held = await newestOf(before)
  expect(await audited(held)).toEqual(['change.left ok'])
  await pauseChange(bo, { changeId: held.change.id })
  await holdToTimes(await view())
  await expectHeld(held)
}, 60_000)

test.each([true, false])(
  'changed while no worker ran and nothing held it, and governed: %j, known a moment after a worker begins: held by that alone',
  async (governed) => {
    const before = await slow()
    const { clusterId, groupId, id } = before.change
    await db().change.delete({ where: { id } })
    await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'policy' } })
    // As the last worker left it.
    await db().group.update({ where: { id: groupId }, data: { governed: true, letGo: 'what it was', held: null } })
    const free = { metadata: { annotations: { [HELD]: null, [PAUSED]: null } } }
    await (await view()).client.patch(MD, before.name, before.namespace, 'merge', free)
    await lookBefore(before, 'open')
    expect(await opens(before)).toBe(0)
    expect((await db().group.findUniqueOrThrow({ where: { id: groupId } })).letGo).toBe('what it was')
    await db().group.update({ where: { id: groupId }, data: { governed } })
    await look(before)
    const held = await newestOf(before)
    expect(await audited(held)).toEqual(governed ? ['change.not-held ok'] : [])
    await holdToTimes(await view())
    await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'none' } })
    if (governed) await expectHeld(held)
    else expect(await annotations(held)).not.toHaveProperty([HELD])
  },
  60_000,
)
