import { randomUUID } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import type { Pool } from 'pg'
import { expect, test, vi } from 'vitest'
import { pool } from '@/lib/db/client'
import { acquireLease } from '@/lib/db/read-model/lease'
import { useTestDatabase } from '@/lib/db/testing'
import { Leases } from './lease'

useTestDatabase()

async function connect(): Promise<string> {
  const id = randomUUID()
  await pool().query('INSERT INTO management_cluster (id, name, server) VALUES ($1, $2, $3)', [id, id, 'https://x'])
  await pool().query(
    'INSERT INTO cluster_credential (cluster_id, sealed, key_id, updated_at) VALUES ($1, $2, $3, now())',
    [id, Buffer.alloc(1), 'k'],
  )
  return id
}

const until = async (id: string) =>
  (await pool().query<{ until: Date }>('SELECT until FROM cluster_lease WHERE cluster_id = $1', [id])).rows[0]!.until

test('one cluster that cannot be stopped keeps nobody from renewing, and is not taken again before it has ended', async () => {
  const [stuck, other] = [await connect(), await connect()]
  const gained: [string, bigint][] = []
  const ends: (() => void)[] = []
  const lost: string[] = []
  const leases = new Leases({
    pool: pool(),
    owner: 'me',
    ttlMs: 60_000,
    gained: (cluster, { fence }) => gained.push([cluster.id, fence]),
    lost: (id) => lost.push(id),
    gone: (id) => (id === stuck ? new Promise<void>((resolve) => ends.push(resolve)) : Promise.resolve()),
  })
  await leases.tick()
  expect(gained.map(([id]) => id).sort()).toEqual([stuck, other].sort())
  const before = await until(other)
  await pool().query(`UPDATE cluster_lease SET fence = fence + 1 WHERE cluster_id = $1`, [stuck])
  await leases.tick()
  expect((await until(other)).getTime()).toBeGreaterThan(before.getTime())
  // The lease is free again, and the old run has not ended.
  await pool().query(`UPDATE cluster_lease SET until = now() - interval '1 minute' WHERE cluster_id = $1`, [stuck])
  await leases.tick()
  expect(gained).toHaveLength(2)
  ends.shift()!()
  await expect
    .poll(async () => {
      await leases.tick()
      return gained.length
    })
    .toBe(3)
  expect(gained[2]).toEqual([stuck, 3n])
  // What a run of an older lease says of its loss does not concern the new one.
  leases.lose(stuck, 1n)
  expect([leases.size, lost]).toEqual([2, [stuck]])
  // New credentials: the old run ends first, the lease stays, and the other is renewed meanwhile.
  await pool().query(`UPDATE cluster_credential SET updated_at = now() + interval '1 second' WHERE cluster_id = $1`, [
    stuck,
  ])
  await leases.tick()
  await leases.tick()
  expect([gained.length, leases.size, ends.length]).toEqual([3, 2, 1])
  ends.shift()!()
  await expect.poll(() => gained.length).toBe(4)
  expect(gained[3]).toEqual([stuck, 3n])
  const released = leases.release()
  await expect.poll(() => ends.length).toBe(1)
  ends.shift()!()
  await released
  expect((await until(stuck)).getTime()).toBeLessThan(Date.now())
})

test('who stands still in the middle of a write keeps its lease no longer than its transaction may be idle', async () => {
  const id = await connect()
  expect(await acquireLease(pool(), id, 'me', 60_000)).toBe(1n)
  await pool().query(`UPDATE cluster_lease SET until = now() - interval '1 second' WHERE cluster_id = $1`, [id])
  const stopped = await pool().connect()
  stopped.on('error', () => undefined)
  await stopped.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = '300ms'`)
  await stopped.query('SELECT fence FROM cluster_lease WHERE cluster_id = $1 FOR SHARE', [id])
  expect(await acquireLease(pool(), id, 'another', 60_000)).toBe(2n)
  await expect(stopped.query('COMMIT')).rejects.toThrow()
  stopped.release(true)
})

test('whoever asks is told of every answer, not of all of them at the end: there may be hundreds of clusters', async () => {
  for (let i = 0; i < 3; i++) await acquireLease(pool(), await connect(), 'another', 60_000)
  let answers = 0
  const asks = vi.spyOn(pool(), 'query')
  const leases = new Leases({
    ...{ pool: pool(), owner: 'standby', ttlMs: 60_000, gained: () => undefined, lost: () => undefined },
    gone: () => Promise.resolve(),
    answered: () => answers++,
  })
  await leases.tick()
  expect(answers).toBeGreaterThan(3)
  expect(answers).toBe(asks.mock.calls.length)
  await leases.release()
})

test('a look that takes longer than a lease lasts, for a slow database is asked about many clusters of others, loses none', async () => {
  const [own, others] = [await connect(), await Promise.all(Array.from({ length: 10 }, connect))]
  for (const id of others) await acquireLease(pool(), id, 'another', 60_000)
  const ttlMs = 1_500
  let takesMs = 0
  const query = async (sql: string, values: unknown[]) => {
    if (sql.includes('INSERT INTO cluster_lease')) await after(takesMs)
    return pool().query(sql, values)
  }
  const lost: string[] = []
  const leases = new Leases({
    ...{ pool: { query } as unknown as Pool, owner: 'me', ttlMs, gained: () => undefined, lost: (id) => lost.push(id) },
    gone: () => Promise.resolve(),
  })
  await leases.tick()
  const { size } = leases
  takesMs = 300
  let looks = true
  const looked = leases.tick().finally(() => (looks = false))
  const began = performance.now()
  let ran = 0
  while (looks) {
    if ((await until(own)).getTime() < Date.now()) ran++
    await after(50)
  }
  await looked
  expect(performance.now() - began).toBeGreaterThan(ttlMs)
  expect([ran, lost, leases.size]).toEqual([0, [], size])
  takesMs = 0
  await leases.release()
})
