import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, bo, CLOSED, HOUR, lifted, row, says, timedCluster } from '@/testenv/timed'
import { tellExpired } from './tell-expired'

useTestDatabase()
const { at, view, running } = timedCluster()
beforeEach(async () => void (await lifted()))

const expiresAt = new Date(Date.now() - HOUR)
/** By one of the two who are asked. */
async function given(held: Held, by = ada): Promise<void> {
  await approveChange(by, inputFor(held))
  await expires(held)
}
const expires = ({ change }: Held) =>
  db().approval.updateMany({ where: { changeId: change.id }, data: { at: new Date(Date.now() - 2 * HOUR), expiresAt } })
const told = ({ change }: Held) =>
  db().auditEvent.findMany({ where: { targetId: change.id, action: 'approval.ran-out' }, orderBy: { id: 'asc' } })
const asksTwo = async () => {
  const held = await at.held()
  await says(held, { approvals: 2, expiresAfter: '1h' })
  return held
}

test('an approval that expires is on record: whose, of which change, and until when it was good; once, whoever looks', async () => {
  const held = await asksTwo()
  await approveChange(ada, inputFor(held))
  await tellExpired(await view())
  expect(await told(held)).toEqual([])
  await expires(held)
  const looks = await view()
  await Promise.all([tellExpired(looks), tellExpired(looks)])
  await tellExpired(looks)
  const [event, ...more] = await told(held)
  expect(more).toEqual([])
  const { namespace, groupName, groupKind, summary } = held.change
  expect(event).toMatchObject({
    ...{ actorKind: 'system', targetKind: groupKind, targetName: `${namespace}/${groupName}`, result: 'ok' },
    details: { approver: 'Ada', mode: inputFor(held).mode, summary, expiredAt: expiresAt.toISOString() },
  })
  // Given anew, it expires anew.
  await given(held)
  await tellExpired(looks)
  expect(await told(held)).toHaveLength(2)
})

test('by the owner of its cluster alone', async () => {
  const held = await asksTwo()
  await given(held)
  const until = new Date(Date.now() + HOUR)
  await db().clusterLease.create({ data: { clusterId: at.clusterId, owner: 'another', fence: 2n, until } })
  await expect(tellExpired(await view())).rejects.toThrow('Another worker owns')
  expect(await told(held)).toEqual([])
  await tellExpired({ ...(await view()), fence: 2n })
  expect(await told(held)).toHaveLength(1)
  await db().clusterLease.delete({ where: { clusterId: at.clusterId } })
})

test('not what was taken back, or was over, before that, and not what went', async () => {
  const [withdrawn, over, went] = [await asksTwo(), await asksTwo(), await running()]
  for (const held of [withdrawn, over]) await approveChange(bo, inputFor(held))
  await withdrawApproval(bo, { changeId: withdrawn.change.id, fingerprint: withdrawn.change.fingerprint })
  const finishedAt = new Date(Date.now() - 2 * HOUR)
  await db().change.update({ where: { id: over.change.id }, data: { state: 'superseded', finishedAt } })
  for (const held of [withdrawn, over, went]) await expires(held)
  await tellExpired(await view())
  for (const held of [withdrawn, over, went]) expect(await told(held)).toEqual([])
})

test('also when a change that is over by now had lost it before', async () => {
  const held = await asksTwo()
  await given(held)
  await db().change.update({ where: { id: held.change.id }, data: { state: 'superseded', finishedAt: new Date() } })
  await tellExpired(await view())
  expect(await told(held)).toHaveLength(1)
})

test('what waits for its time, and lacks an approval since one expired, waits for people before that time', async () => {
  const [lacks, enough] = [await at.held(), await at.held()]
  for (const held of [lacks, enough]) {
    await says(held, { ...CLOSED, approvals: 1 })
    await given(held)
  }
  await approveChange(bo, inputFor(enough))
  for (const held of [lacks, enough]) expect(await row(held)).toMatchObject({ dueMode: 'replace' })
  await tellExpired(await view())
  expect(await row(lacks)).toMatchObject({ state: 'waiting', dueMode: null })
  expect(await row(enough)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
})
