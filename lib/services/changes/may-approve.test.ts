import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, bo, person, says, timedCluster } from '@/testenv/timed'
import type { Ctx } from '../context'
import { getUpdate } from '../fleet/list-updates'
import { approveChange } from './approve-change'
import type { ChangePolicy } from './policy-of-change'

useTestDatabase()
const { at, running } = timedCluster()
const HOUR_AGO = () => new Date(Date.now() - 3_600_000)

async function asked(held: Held, ctx: Ctx = ada): Promise<ChangePolicy> {
  const { policy } = await getUpdate(ctx, held.change.id)
  if (!('rules' in policy)) throw new Error(policy.problem)
  return policy
}
const account = (id: string, role: string, more: object = {}) =>
  db().user.create({ data: { id, name: id, email: `${id}@example.com`, role, ...more } })

test('who may still approve it is named to those who may, and counted for everybody', async () => {
  await account('ada', 'approver')
  await account('bo', 'approver')
  await account('cy', 'admin')
  await account('left', 'approver', { disabledAt: new Date() })
  await account('op', 'operator')
  const held = await at.held()
  await db().change.update({ where: { id: held.change.id }, data: { author: 'CY@example.com' } })
  await says(held, { approvals: 3 })
  expect((await asked(held)).mayApprove).toEqual({ count: 3, names: ['ada', 'bo', 'cy'] })
  await approveChange(ada, inputFor(held))
  expect((await asked(held)).mayApprove).toEqual({ count: 2, names: ['bo', 'cy'] })
  expect((await asked(held, person('vi', 'viewer'))).mayApprove).toEqual({ count: 2, names: null })
  // Who wrote it is ruled out only where its policy says so.
  await says(held, { approvals: 3, notTheAuthor: true })
  expect((await asked(held)).mayApprove).toEqual({ count: 1, names: ['bo'] })
  for (let n = 10; n < 20; n++) await account(`a-${n}`, 'approver')
  const many = (await asked(held)).mayApprove
  expect([many?.count, many?.names?.length]).toEqual([11, 8])
})

test('let go, nobody is asked any more, and its approval does not expire; under somebody’s own pause it does', async () => {
  const held = await running()
  expect(await stateOf(held)).toBe('running')
  const { id: changeId, groupId } = held.change
  const now = async () => {
    const { mayApprove, approvals } = await asked(held)
    return [mayApprove, approvals[0]?.expiresAt, approvals[0]?.whyNot]
  }
  const soon = new Date(Date.now() + 3_600_000)
  await db().approval.updateMany({ where: { changeId }, data: { expiresAt: soon } })
  expect(await now()).toEqual([null, null, null])
  await db().approval.updateMany({ where: { changeId }, data: { expiresAt: HOUR_AGO() } })
  expect(await now()).toEqual([null, null, null])
  await db().approval.updateMany({ where: { changeId }, data: { expiresAt: soon } })
  await db().machineProgress.deleteMany({ where: { changeId } })
  const ownPause = { annotation: false, spec: true, guarded: false }
  await db().group.update({ where: { id: groupId }, data: { paused: true, ownPause, held: null } })
  expect(await now()).toEqual([null, soon.toISOString(), null])
  expect((await getUpdate(ada, changeId)).held).toMatchObject({ theirs: 'group', ownPause })
})

test('what has expired is not to be taken back', async () => {
  const held = await at.held()
  await says(held, { approvals: 3 })
  await approveChange(bo, inputFor(held))
  expect((await asked(held, bo)).approvals).toMatchObject([{ takeBack: 'plain', whyNot: null }])
  await db().approval.updateMany({ where: { changeId: held.change.id }, data: { expiresAt: HOUR_AGO() } })
  const { approvals } = await getUpdate(bo, held.change.id).then(({ policy }) => policy as ChangePolicy)
  expect(approvals).toMatchObject([{ takeBack: null, whyNot: 'expired' }])
  const { timeline } = await getUpdate(bo, held.change.id)
  expect(timeline.map(({ text }) => text)).toContain('The approval of Bo expired')
})
