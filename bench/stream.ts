import { pino } from 'pino'
import { pool } from '@/lib/db/client'
import { createKubeClient } from '@/lib/kubernetes/client'
import { startWorker } from '@/worker/worker'
import { browserEar, databaseEar, lagFigures, type Ear } from './ears'
import { watchLoop } from './loop'
import { CAPABILITIES, megabytes, memory, setUp, until, type Bench } from './setup'
import { built, startBenchWeb, UNBUILT } from './web'

const PER_SECOND = 500
const SECONDS = 10
const STEP_MS = 50
const BURST = 10_000

/**
 * From the moment the worker reads a change off the wire to the moment a listener on the database, and a browser's stream,
 * hear that rows changed, at 500 changes a second; then a burst of 10,000 changes at once.
 */
export async function stream(machines: number): Promise<Record<string, number>> {
  const bench = await setUp(machines)
  const ends: (() => Promise<void>)[] = [() => bench.stop()]
  try {
    const client = createKubeClient({ server: bench.apiUrl })
    ends.unshift(() => client.close())
    const worker = await startWorker({
      consumers: [],
      parts: [],
      clientFor: () => Promise.resolve(client),
      discover: () => Promise.resolve(CAPABILITIES),
      log: pino({ level: 'warn' }),
    })
    ends.unshift(() => worker.stop())
    await until(async () => (await counted('SELECT count(*)::int AS n FROM machine')) >= machines, 120, 'The cold sync')
    await until(async () => (await counted(WATCHING)) === 1, 60, 'Opening the watch')
    const ears: Record<string, Ear> = { announcement: await databaseEar() }
    if (built()) {
      const web = await startBenchWeb()
      ends.unshift(() => web.stop())
      ears.browser = await browserEar(web)
    } else console.error(`${UNBUILT} Only the announcement is measured.`)
    for (const ear of Object.values(ears)) ends.unshift(() => ear.stop())
    const steady = await atRest(bench, machines, ears)
    return { machines, ...steady, ...(await burst(bench, machines)) }
  } finally {
    for (const end of ends) await end()
  }
}

const WATCHING = `SELECT count(*)::int AS n FROM stream WHERE state = 'watching' AND resource = 'machines.cluster.x-k8s.io'`

/** 500 changes a second, by the clock. */
async function atRest(bench: Bench, machines: number, ears: Record<string, Ear>): Promise<Record<string, number>> {
  const began = Date.now()
  for (let due = began; due < began + SECONDS * 1000; due += STEP_MS) {
    await new Promise((resolve) => setTimeout(resolve, due - Date.now()))
    bench.change((PER_SECOND * STEP_MS) / 1000)
  }
  const changed = `SELECT count(*)::int AS n FROM machine WHERE version LIKE 'v1.35.%'`
  const expected = Math.min(machines, PER_SECOND * SECONDS)
  await until(async () => (await counted(changed)) >= expected, 60, 'Writing the changes')
  await new Promise((resolve) => setTimeout(resolve, 500))
  return Object.assign({}, ...Object.entries(ears).map(([name, { lags }]) => lagFigures(name, lags))) as Record<
    string,
    number
  >
}

async function burst(bench: Bench, machines: number): Promise<Record<string, number>> {
  const { rows } = await pool().query<{ at: Date }>('SELECT clock_timestamp() AS at')
  const before = memory()
  const stalls = watchLoop()
  let peak = before.rss
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
  const started = performance.now()
  bench.change(BURST)
  const changed = 'SELECT count(*)::int AS n FROM machine WHERE changed_at > $1'
  const expected = Math.min(machines, BURST)
  await until(async () => (await counted(changed, rows[0]!.at)) >= expected, 120, 'The burst')
  const burstMs = Math.round(performance.now() - started)
  const { maxLoopStallMs, maxLoopBusyMs, p99LoopBusyMs } = stalls()
  clearInterval(watch)
  return {
    burst: BURST,
    burstMs,
    burstMaxLoopStallMs: maxLoopStallMs,
    burstMaxLoopBusyMs: maxLoopBusyMs,
    burstP99LoopBusyMs: p99LoopBusyMs,
    burstPeakRssGrowthMb: megabytes(peak - before.rss),
    burstHeapKeptMb: megabytes(memory().heapUsed - before.heapUsed),
  }
}

async function counted(sql: string, ...values: unknown[]): Promise<number> {
  const { rows } = await pool().query<{ n: number }>(sql, values)
  return rows[0]!.n
}
