import { monitorEventLoopDelay } from 'node:perf_hooks'
import pg from 'pg'
import { pino } from 'pino'
import { CHANNEL, type Announcement } from '@/lib/db/notify'
import { pool } from '@/lib/db/client'
import { createKubeClient } from '@/lib/kubernetes/client'
import { startWorker } from '@/worker/worker'
import { CAPABILITIES, percentile, setUp, until } from './setup'

const PER_SECOND = 500
const SECONDS = 10
const BURST = 10_000

/**
 * From the moment the worker reads a change off the wire to the moment a listener on the database hears that rows
 * changed, at 500 changes a second; then a burst of 10,000 changes at once.
 */
export async function stream(machines: number): Promise<Record<string, number>> {
  const bench = await setUp(machines)
  const ear = new pg.Client({ connectionString: process.env.DATABASE_URL })
  try {
    const client = createKubeClient({ server: bench.apiUrl })
    const worker = await startWorker({
      consumers: [],
      parts: [],
      clientFor: () => Promise.resolve(client),
      discover: () => Promise.resolve(CAPABILITIES),
      log: pino({ level: 'warn' }),
    })
    await until(() => counted('SELECT count(*)::int AS n FROM machine', machines), 120, 'The cold sync')
    await until(() => counted(WATCHING, 1), 60, 'Opening the watch')
    const lags: number[] = []
    await ear.connect()
    ear.on('notification', ({ payload }) => {
      const { topic, heardAt } = JSON.parse(payload ?? '{}') as Announcement
      if (topic === 'machines' && heardAt) lags.push(Date.now() - heardAt)
    })
    await ear.query(`LISTEN ${CHANNEL}`)
    const steps = 20 * SECONDS
    for (let i = 0; i < steps; i++) {
      bench.change(PER_SECOND / 20)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await until(async () => (await changed()) >= Math.min(machines, PER_SECOND * SECONDS), 60, 'Writing the changes')
    const steady = [...lags]
    const { rows: marks } = await pool().query<{ at: Date }>('SELECT clock_timestamp() AS at')
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const heapBefore = process.memoryUsage().heapUsed
    const started = performance.now()
    bench.change(BURST)
    const expected = Math.min(machines, BURST)
    await until(
      () => counted('SELECT count(*)::int AS n FROM machine WHERE changed_at > $1', expected, [marks[0]!.at]),
      120,
      'The burst',
    )
    const burstMs = performance.now() - started
    delay.disable()
    const heapAfter = process.memoryUsage().heapUsed
    await worker.stop()
    await client.close()
    return {
      machines,
      announcements: steady.length,
      p50Ms: percentile(steady, 0.5),
      p95Ms: percentile(steady, 0.95),
      maxMs: Math.max(...steady),
      burst: BURST,
      burstMs: Math.round(burstMs),
      burstLoopStallMs: Math.round(delay.max / 1e6),
      burstHeapGrowthMb: Math.round((heapAfter - heapBefore) / 1024 / 1024),
    }
  } finally {
    await ear.end()
    await bench.stop()
  }
}

const WATCHING = `SELECT count(*)::int AS n FROM stream WHERE state = 'watching' AND resource = 'machines.cluster.x-k8s.io'`

async function counted(sql: string, expected: number, values: unknown[] = []): Promise<boolean> {
  const { rows } = await pool().query<{ n: number }>(sql, values)
  return rows[0]!.n >= expected
}

async function changed(): Promise<number> {
  const { rows } = await pool().query<{ n: number }>(
    `SELECT count(*)::int AS n FROM machine WHERE version LIKE 'v1.35.%'`,
  )
  return rows[0]!.n
}
