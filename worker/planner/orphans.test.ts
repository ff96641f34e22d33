import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { forgetRows, takeLease } from '@/lib/services/clusters/forget-rows'
import { latchedCluster, stateOf } from '@/testenv/deciding'
import { lockedInOrder } from '@/testenv/locked'
import { planningContext } from '@/testenv/planning'
import { plannerConsumer } from '.'
import { endOrphans } from './orphans'

useTestDatabase()
const at = latchedCluster()
const view = async () => (await planningContext(at.clusterId)).view

test('of more groups than a statement has parameters, those that are gone end all the same', async () => {
  const [there, gone] = [await at.held(), await at.held()]
  const uids = [there.change.groupId, ...Array.from({ length: 40_000 }, () => randomUUID())]
  await endOrphans(await view(), { kinds: ['MachineDeployment'], uids })
  expect([await stateOf(there), await stateOf(gone)]).toEqual(['waiting', 'superseded'])
  const audits = await db().auditEvent.findMany({ where: { targetId: gone.change.id } })
  expect(audits.map(({ action }) => action)).toEqual(['change.gone'])
})

test('changes whose groups are gone end in the order in which everybody locks them', async () => {
  const all = [await at.held(), await at.held(), await at.held()]
  const none = { ...(await view()), objects: () => new Map() } as never
  const ids = all.map(({ change }) => change.id).sort()
  await lockedInOrder(ids, () => plannerConsumer.onSynced(none))
  plannerConsumer.forget?.(none)
  expect(await Promise.all(all.map(stateOf))).toEqual(['superseded', 'superseded', 'superseded'])
})

test('a disconnect that ends at that moment is not waited for in a circle', async () => {
  const ids = [await at.held(), await at.held()].map(({ change }) => change.id).sort()
  const until = new Date(Date.now() + 60_000)
  await db().clusterLease.create({ data: { clusterId: at.clusterId, owner: 'w', fence: 1n, until } })
  const waiting = (n: number) => {
    const blocked = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return expect.poll(async () => (await pool().query(blocked)).rowCount, { timeout: 10_000 }).toBe(n)
  }
  const deciding = await pool().connect()
  try {
    await deciding.query('BEGIN')
    await deciding.query('SELECT 1 FROM change WHERE id = $1 FOR UPDATE', [ids[1]])
    const ending = endOrphans(await view(), { kinds: ['MachineDeployment'], uids: [] })
    await waiting(1)
    const leaving = db().$transaction(async (tx) => {
      await takeLease(tx, at.clusterId)
      await forgetRows(tx, at.clusterId)
    })
    await waiting(2)
    await deciding.query('ROLLBACK')
    await Promise.all([ending, leaving])
  } finally {
    deciding.release()
    await db().clusterLease.deleteMany()
  }
  const ends = await db().auditEvent.findMany({ where: { targetId: { in: ids } } })
  expect(ends.map(({ action }) => action)).toEqual(['change.gone', 'change.gone'])
})

test('of a kind that was not listed, or is not served for a moment, nothing is taken for gone', async () => {
  const held = await at.held()
  const none = {
    ...(await view()),
    objects: () => new Map(),
    heard: (what: string) => (what.startsWith('machined') ? 'unserved' : 'listed'),
  }
  await plannerConsumer.onSynced(none as never)
  plannerConsumer.forget?.(none as never)
  expect(await stateOf(held)).toBe('waiting')
})
