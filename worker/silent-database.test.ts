import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { isDatabaseDown } from '@/lib/auth/failure'
import { closeDatabase, db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { databaseProxy } from '@/testenv/db-proxy'
import { startWorker } from './worker'

useTestDatabase()
afterEach(() => vi.restoreAllMocks())

const isDown = (asked: Promise<unknown>) => asked.then(() => false, isDatabaseDown)

/** A third of the minute, in which its health has to tell. */
function sooner(): void {
  const { setTimeout } = Socket.prototype
  vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, heard) {
    return setTimeout.call(this, ms === 60_000 ? 20_000 : ms, heard)
  })
}

test(
  'connections to the database that hang: the worker says so, and goes on over new ones',
  { timeout: 90_000 },
  async () => {
    sooner()
    const direct = process.env.DATABASE_URL!
    const proxy = await databaseProxy(direct)
    const own = new pg.Client({ connectionString: direct })
    await own.connect()
    await closeDatabase()
    process.env.DATABASE_URL = proxy.url
    const id = randomUUID()
    await db().managementCluster.create({ data: { id, name: `mc-${id}`, server: 'https://x' } })
    await db().clusterCredential.create({ data: { clusterId: id, sealed: Buffer.alloc(1), keyId: 'k' } })
    const worker = await startWorker({
      ...{ consumers: [], parts: [], tickMs: 300, port: 0, log: pino({ level: 'silent' }) },
      clientFor: () => Promise.reject(new Error('no cluster')),
    })
    const owned = `SELECT 1 FROM cluster_lease WHERE cluster_id = '${id}' AND until > now()`
    const isOwned = async () => (await own.query(owned)).rowCount === 1
    const health = async () => {
      const answer = await fetch(`http://127.0.0.1:${worker.port}/healthz`)
      return { status: answer.status, ...((await answer.json()) as { message: string }) }
    }
    try {
      await expect.poll(isOwned, { timeout: 15_000 }).toBe(true)
      // Beside the one that is taken there is one for the worker, which hangs as well: it would open a new one.
      const [alone, idle] = [await pool().connect(), await pool().connect()]
      idle.release()
      const asked: Promise<boolean>[] = []
      const inside = isDown(
        db().$transaction(async (tx) => {
          await tx.policy.count()
          proxy.freeze()
          asked.push(isDown(alone.query('SELECT 1')).finally(() => alone.release()))
          await tx.policy.count()
        }),
      )
      const said = expect.stringMatching(/has not answered for 1\d s/) as string
      await expect.poll(health, { timeout: 20_000 }).toMatchObject({ status: 503, message: said })
      expect(await isOwned()).toBe(false)
      expect(await Promise.all([inside, ...asked])).toEqual([true, true])
      await expect.poll(health, { timeout: 15_000 }).toMatchObject({ status: 200 })
      await expect.poll(isOwned, { timeout: 5_000 }).toBe(true)
      expect(await db().managementCluster.count({ where: { id } })).toBe(1)
      expect((await pool().query('SELECT 1')).rowCount).toBe(1)
    } finally {
      proxy.stop()
      process.env.DATABASE_URL = direct
      await own.end()
      await worker.stop()
      await closeDatabase()
    }
  },
)
