import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Pool } from 'pg'
import { pool as sharedPool } from '@/lib/db/client'
import { Listening } from '@/lib/db/listen'
import type { Capabilities } from '@/lib/domain/capabilities'
import { pause } from '@/lib/kubernetes/backoff'
import { discoverCapabilities } from '@/lib/kubernetes/discovery'
import type { KubeClient } from '@/lib/kubernetes/types'
import { forgetClient, kubeClientFor } from '@/lib/services/clusters/connection'
import { isRegistry } from '@/lib/services/updaters/announce'
import { Clock } from './clock'
import { ClusterRun } from './cluster'
import { serveHealth } from './health'
import { Leases } from './lease'
import { log as defaultLog, type Log } from './log'
import { leasesHeld } from './metrics'
import { consumers as allConsumers, startParts, type Part } from './parts'
import type { Consumer } from './types'
import { updatersChanged } from './updaters'

/** Much longer than one statement takes, also of a slow database. */
const SILENT_MS = 15_000

export interface WorkerOptions {
  pool?: Pool
  /** Port of /healthz and /metrics; 0 chooses one, absent: none. */
  port?: number
  host?: string
  leaseTtlMs?: number
  tickMs?: number
  pageSize?: number
  intervalMs?: number
  gatesMs?: number
  consumers?: Consumer[]
  /** Gate, applier, latch keeper: what runs once per process. Absent: all of them. */
  parts?: Part[]
  clientFor?(clusterId: string): Promise<KubeClient>
  discover?(client: KubeClient): Promise<Capabilities>
  log?: Log
}

export interface Worker {
  owner: string
  /** Port of /healthz and /metrics, where it was asked for. */
  port: number | undefined
  stop(): Promise<void>
}

/** Watches every management cluster whose lease it gets, until stopped. The database may come and go. */
export async function startWorker(options: WorkerOptions = {}): Promise<Worker> {
  const { pool = sharedPool(), leaseTtlMs = 4000, tickMs = 1000, consumers = allConsumers, log = defaultLog } = options
  const owner = `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`
  const abort = new AbortController()
  const runs = new Map<string, ClusterRun>()
  let nudge = new AbortController()
  let database = { ok: false, message: 'The database has not answered yet.' }
  let answeredAt = performance.now()

  const leases: Leases = new Leases({
    pool,
    owner,
    ttlMs: leaseTtlMs,
    gained: (cluster, fence) => {
      log.info({ cluster: cluster.name, fence: fence.fence.toString() }, 'owns this management cluster now')
      const run = new ClusterRun({
        pool,
        cluster,
        fence,
        consumers,
        clientFor: options.clientFor ?? kubeClientFor,
        discover: options.discover ?? discoverCapabilities,
        log,
        lost: () => leases.lose(cluster.id, fence.fence),
        anew: () => leases.anew(cluster, fence.fence),
        pageSize: options.pageSize,
        intervalMs: options.intervalMs,
        gatesMs: options.gatesMs,
      })
      runs.set(cluster.id, run)
      run.start()
    },
    answered: () => answered(),
    lost: (clusterId) => log.warn({ clusterId }, 'this worker does not own this management cluster any more'),
    gone: async (clusterId) => {
      const run = runs.get(clusterId)
      runs.delete(clusterId)
      await run?.stop()
      // Nobody here asks this cluster any more: its connections end, also where another process disconnected it.
      if (!options.clientFor) forgetClient(clusterId)
    },
  })

  const clock = new Clock(pool, log)
  const answered = () => {
    answeredAt = performance.now()
    if (!database.ok) log.info('the database answers')
    database = { ok: true, message: clock.wrong ?? 'The database answers.' }
  }
  const tick = async () => {
    try {
      await leases.tick()
      // Nobody who renews waits for it.
      void clock.look().catch(() => undefined)
      answered()
    } catch (error) {
      if (database.ok) log.error({ err: error }, 'the database does not answer; watching goes on')
      database = {
        ok: false,
        message: 'The database does not answer; watching goes on, and what changes is written later.',
      }
    }
    leasesHeld.set(leases.size)
  }
  const loop = async () => {
    while (!abort.signal.aborted) {
      nudge = new AbortController()
      await tick()
      // Many announcements are one reason to look.
      await pause(100, abort.signal)
      await pause(tickMs - 100, abort.signal, nudge.signal)
    }
  }
  const parts = startParts(options.parts, { owner, log, clusters: () => runs.keys() })
  const onFailed = (err: unknown) => log.warn({ err }, 'cannot listen on the database; trying again')
  const listening = new Listening({ onFailed })
  const unhear = listening.add((heard) => {
    if (heard.kind === 'access' || heard.kind === 'lost') return
    const message = heard.kind === 'gap' ? null : heard.message
    if (!message || isRegistry(message)) updatersChanged(message?.cluster ? [message.cluster] : [...runs.keys()], log)
    if (message && message.topic !== 'clusters') return
    nudge.abort()
    if (!message?.cluster || message.ids) return
    runs.get(message.cluster)?.poke()
    if (message.discover) runs.get(message.cluster)?.discoverNow()
    if (runs.has(message.cluster)) parts.poke(message.cluster)
  })
  const health = () => {
    // A connection that hangs is no error for a minute.
    const silentMs = performance.now() - answeredAt
    const silent = { ok: false, message: `The database has not answered for ${Math.round(silentMs / 1000)} s.` }
    return { ...(database.ok && silentMs > SILENT_MS ? silent : database), clusters: runs.size }
  }
  const web =
    options.port === undefined ? undefined : await serveHealth(options.port, options.host ?? '127.0.0.1', health)
  const looping = loop()

  return {
    owner,
    port: web?.port,
    stop: async () => {
      abort.abort()
      unhear()
      await Promise.all([looping, parts.stop()])
      await leases.release()
      await web?.close()
    },
  }
}
