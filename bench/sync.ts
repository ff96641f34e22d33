import { pino } from 'pino'
import { request } from 'undici'
import { pool } from '@/lib/db/client'
import { createKubeClient } from '@/lib/kubernetes/client'
import { rowsWritten } from '@/worker/metrics'
import { startWorker } from '@/worker/worker'
import { watchLoop, type LoopFigures } from './loop'
import { CAPABILITIES, megabytes, memory, setUp, until, type Bench } from './setup'

const ROUNDS = 3

interface Run extends LoopFigures {
  ms: number
  cpuMs: number
  peakRss: number
  heapKept: number
}

/**
 * Cold sync: from an empty table to every machine in Postgres, against the floor of fetching and parsing the same pages.
 * The first sync of the process tells of memory and of code that was never run before; then floor and sync in turn.
 */
export async function sync(machines: number): Promise<Record<string, number>> {
  const bench = await setUp(machines)
  try {
    const before = memory()
    const first = await synced(bench, machines)
    const floors: { ms: number; cpuMs: number }[] = []
    const syncs: Run[] = []
    for (let round = 0; round < ROUNDS; round++) {
      floors.push(await floor(bench))
      syncs.push(await synced(bench, machines))
    }
    const least = (values: { ms: number; cpuMs: number }[], of: 'ms' | 'cpuMs') =>
      Math.round(Math.min(...values.map((value) => value[of])))
    const worst = (of: keyof LoopFigures) => Math.max(...[first, ...syncs].map((run) => run[of]))
    const per10k = (bytes: number) => megabytes((bytes / machines) * 10_000)
    return {
      machines,
      bytesPerMachine: bench.bytesPerMachine,
      floorMs: least(floors, 'ms'),
      syncMs: least(syncs, 'ms'),
      ratio: ratio(least(syncs, 'ms'), least(floors, 'ms')),
      firstSyncMs: Math.round(first.ms),
      floorCpuMs: least(floors, 'cpuMs'),
      syncCpuMs: least(syncs, 'cpuMs'),
      cpuRatio: ratio(least(syncs, 'cpuMs'), least(floors, 'cpuMs')),
      heapPer10kMb: per10k(first.heapKept - before.heapUsed),
      peakRssGrowthPer10kMb: per10k(first.peakRss - before.rss),
      peakRssMb: megabytes(first.peakRss),
      maxLoopStallMs: worst('maxLoopStallMs'),
      maxLoopBusyMs: worst('maxLoopBusyMs'),
      p99LoopBusyMs: worst('p99LoopBusyMs'),
    }
  } finally {
    await bench.stop()
  }
}

const ratio = (a: number, b: number) => Math.round((a / b) * 100) / 100

/** Once more from an empty table, with a worker of its own. */
async function synced(bench: Bench, machines: number): Promise<Run> {
  await pool().query('TRUNCATE machine, machine_group, stream')
  memory()
  const client = createKubeClient({ server: bench.apiUrl })
  let peakRss = 0
  const watch = setInterval(() => (peakRss = Math.max(peakRss, process.memoryUsage.rss())), 20)
  const stalls = watchLoop()
  const writtenBefore = await written()
  const [started, cpu] = [performance.now(), process.cpuUsage()]
  const worker = await startWorker({
    consumers: [],
    parts: [],
    clientFor: () => Promise.resolve(client),
    discover: () => Promise.resolve(CAPABILITIES),
    log: pino({ level: 'warn' }),
  })
  // Counting is work for Postgres: only when there may be enough.
  const complete = async () => (await written()) - writtenBefore >= machines && (await rows()) === machines
  await until(complete, 300, 'The cold sync')
  const run = { ms: performance.now() - started, cpuMs: cpuMs(cpu), peakRss, ...stalls() }
  clearInterval(watch)
  const heapKept = memory().heapUsed
  await worker.stop()
  await client.close()
  return { ...run, heapKept }
}

/** The least that any client has to do: fetch the pages one after another and parse them. */
async function floor({ apiUrl }: Bench): Promise<{ ms: number; cpuMs: number }> {
  memory()
  const [started, cpu] = [performance.now(), process.cpuUsage()]
  let next = ''
  do {
    const query = `?limit=500${next && `&continue=${next}`}`
    const { body } = await request(`${apiUrl}/apis/cluster.x-k8s.io/v1beta2/machines${query}`)
    const page = JSON.parse(await body.text()) as { items: unknown[]; metadata: { continue: string } }
    next = page.metadata.continue
  } while (next)
  return { ms: performance.now() - started, cpuMs: cpuMs(cpu) }
}

/** Of this process: what other processes of a busy machine do does not count. */
function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

async function written(): Promise<number> {
  return (await rowsWritten.get()).values.reduce((sum, { value }) => sum + value, 0)
}

async function rows(): Promise<number> {
  const { rows } = await pool().query<{ n: number }>('SELECT count(*)::int AS n FROM machine')
  return rows[0]!.n
}
