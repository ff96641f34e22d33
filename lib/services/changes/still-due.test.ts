import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { expectHeld, inputFor } from '@/testenv/deciding'
import { ada, bo, CLOSED, lifted, person, row, says, timedCluster } from '@/testenv/timed'
import { goInTime } from '@/worker/planner/times'
import { getUpdate } from '../fleet/list-updates'
import { approveChange } from './approve-change'
import { stillDue } from './still-due'
import { withdrawApproval } from './withdraw-approval'

useTestDatabase()
const { at, view } = timedCluster()

test('approved in place and then replacing, and the newest is taken back: nothing goes by the others, and nothing says replacing', async () => {
  const [held, cy] = [await at.held(), person('cy')]
  const changeId = held.change.id
  const { inPlace, ...outlook } = (await row(held)).outlook as { inPlace: object }
  const able = { ...outlook, inPlace: { ...inPlace, counts: { 'in-place': 1 }, created: 0, deleted: 0 } }
  await db().change.update({ where: { id: changeId }, data: { outlook: able } })
  await says(held, { ...CLOSED, approvals: 2 })
  const both = (who: typeof ada, mode: 'in-place' | 'replace') => approveChange(who, inputFor(held, mode))
  await both(ada, 'in-place')
  await both(bo, 'in-place')
  await both(cy, 'replace')
  expect(await row(held)).toMatchObject({ dueMode: 'in-place' })
  const dee = person('dee')
  await both(dee, 'replace')
  expect(await row(held)).toMatchObject({ dueMode: 'replace' })
  await withdrawApproval(dee, { changeId })
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
  const { policy } = await getUpdate(ada, changeId)
  expect(policy).toMatchObject({ listed: { way: 'in-place', due: false, stands: false, given: 2, needed: 2 } })
  await lifted()
  await says(held, { approvals: 2 })
  await goInTime(await view())
  await expectHeld(held)
})

test('one of more than are asked for is taken back: it goes on waiting for its time', async () => {
  const held = await at.held()
  await says(held, { ...CLOSED, approvals: 1 })
  await approveChange(ada, inputFor(held))
  await approveChange(bo, inputFor(held))
  await withdrawApproval(bo, { changeId: held.change.id })
  expect(await row(held)).toMatchObject({ dueMode: 'replace' })
  await withdrawApproval(ada, { changeId: held.change.id })
  expect(await row(held)).toMatchObject({ dueMode: null })
})

test('what went by itself, and was held half way, goes on by itself, whoever’s approval of it expires', async () => {
  const held = await at.held()
  const { id: changeId, fingerprint } = held.change
  await says(held, { ...CLOSED, strategy: 'replace', approvals: 0 })
  const policy = { rules: {}, approvals: [], byItself: true }
  const by = { changeId, fingerprint, mode: 'replace', actorId: 'calendar', actorName: 'Drydock' }
  const sent = new Date()
  await db().decision.create({
    data: { ...by, state: 'voided', awaitsTime: true, sentAt: sent, acceptedAt: sent, policy },
  })
  const change = await db().change.update({ where: { id: changeId }, data: { dueMode: 'replace' } })
  await db().$transaction((tx) => stillDue(tx, change))
  expect(await row(held)).toMatchObject({ dueMode: 'replace' })
  await lifted()
  await says(held, { ...CLOSED, strategy: 'replace', approvals: 1 })
  await db().$transaction((tx) => stillDue(tx, change))
  expect(await row(held)).toMatchObject({ dueMode: null })
})
