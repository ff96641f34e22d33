import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pino } from 'pino'
import { request } from 'undici'
import { pool } from '@/lib/db/client'
import { createKubeClient } from '@/lib/kubernetes/client'
import { startWorker } from '@/worker/worker'
import { CAPABILITIES, megabytes, setUp, until, type Bench } from './setup'

/** Cold sync: from an empty table to every machine in Postgres, against the floor of fetching and parsing the same pages. */
export async function sync(machines: number): Promise<Record<string, number>> {
  const bench = await setUp(machines)
  try {
    // Once unmeasured: the compiler of JavaScript has seen the code, as after minutes of running.
    await floor(bench, Math.min(machines, 5000))
    const cpuBefore = process.cpuUsage()
    const floors = [await floor(bench), await floor(bench)]
    const floorMs = Math.min(...floors)
    const floorCpuMs = cpuMs(cpuBefore) / floors.length
    const before = memory()
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const client = createKubeClient({ server: bench.apiUrl })
    const started = performance.now()
    const cpu = process.cpuUsage()
    const worker = await startWorker({
      consumers: [],
      parts: [],
      clientFor: () => Promise.resolve(client),
      discover: () => Promise.resolve(CAPABILITIES),
      log: pino({ level: 'warn' }),
    })
    let peak = 0
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
    await until(async () => (await rows()) === machines, 300, 'The cold sync')
    const syncMs = performance.now() - started
    const syncCpuMs = cpuMs(cpu)
    delay.disable()
    clearInterval(watch)
    const after = memory()
    await worker.stop()
    await client.close()
    return {
      machines,
      bytesPerMachine: bench.bytesPerMachine,
      floorMs: Math.round(floorMs),
      syncMs: Math.round(syncMs),
      ratio: Math.round((syncMs / floorMs) * 100) / 100,
      floorCpuMs: Math.round(floorCpuMs),
      syncCpuMs: Math.round(syncCpuMs),
      heapPer10kMb: megabytes(((after.heapUsed - before.heapUsed) / machines) * 10_000),
      peakRssGrowthPer10kMb: megabytes(((peak - before.rss) / machines) * 10_000),
      peakRssMb: megabytes(peak),
      maxLoopStallMs: Math.round(delay.max / 1e6),
    }
  } finally {
    await bench.stop()
  }
}

/** The least that any client has to do: fetch the pages one after another and parse them. */
async function floor({ apiUrl }: Bench, atMost = Infinity): Promise<number> {
  const started = performance.now()
  let next = ''
  let seen = 0
  do {
    const query = `?limit=500${next && `&continue=${next}`}`
    const { body } = await request(`${apiUrl}/apis/cluster.x-k8s.io/v1beta2/machines${query}`)
    const page = JSON.parse(await body.text()) as { items: unknown[]; metadata: { continue: string } }
    seen += page.items.length
    next = page.metadata.continue
  } while (next && seen < atMost)
  return performance.now() - started
}

/** Of this process: what other processes of a busy machine do does not count. */
function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

function memory(): NodeJS.MemoryUsage {
  globalThis.gc?.()
  return process.memoryUsage()
}

async function rows(): Promise<number> {
  const { rows } = await pool().query<{ n: number }>('SELECT count(*)::int AS n FROM machine')
  return rows[0]!.n
}
