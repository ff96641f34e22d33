import { inspectLatch, writeUnknown } from '@/lib/services/latch/inspect'
import { repairLatch } from '@/lib/services/latch/repair-latch'
import { ServiceError } from '@/lib/services/errors'
import { systemCtx } from '@/lib/services/context'
import { db } from '@/lib/db/client'
import { log as workerLog, type Log } from './log'
import { stillOwned } from './owned'

export interface LatchKeeperOptions {
  /** The management clusters that this worker owns at the moment. */
  clusters: () => Iterable<string>
  /** Of their leases; repairs are made by their owner only. */
  owner?: string
  intervalMs?: number
  log?: Log
}

export interface LatchKeeper {
  /** Look at one cluster now: its policy changed, its watch saw something odd, its gate's certificate was renewed. */
  poke(clusterId: string): void
  stop(): Promise<void>
}

const INTERVAL_MS = 15_000

/**
 * Checks every owned cluster's latch periodically and puts back what is missing or changed. What it finds stands on
 * the cluster's row, also when it cannot repair: a governed cluster is never silently unlatched.
 */
export function startLatchKeeper(options: LatchKeeperOptions): LatchKeeper {
  const log = options.log ?? workerLog
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()
  let stopped = false

  const look = (clusterId: string): void => {
    if (stopped) return
    if (running.has(clusterId)) return void again.add(clusterId)
    const work = keep(clusterId, options.owner, log).finally(() => {
      running.delete(clusterId)
      if (again.delete(clusterId)) look(clusterId)
    })
    running.set(clusterId, work)
  }
  const all = () => {
    for (const clusterId of options.clusters()) look(clusterId)
  }
  const timer = setInterval(all, options.intervalMs ?? INTERVAL_MS)
  all()
  return {
    poke: look,
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}

const REPAIRABLE = ['missing', 'changed']

async function keep(clusterId: string, owner: string | undefined, log: Log): Promise<void> {
  try {
    const { status, target } = await inspectLatch(clusterId)
    if (!REPAIRABLE.includes(status.state)) return
    if (owner !== undefined) await stillOwned(db(), clusterId, { owner })
    log.warn({ cluster: target.cluster.name, state: status.state }, `${status.message} Repairing.`)
    const after = await repairLatch(systemCtx('latch-keeper'), { clusterId })
    log.info({ cluster: target.cluster.name, state: after.state }, after.message)
  } catch (error) {
    // Also where it is only not discovered yet, or the gate has no certificate: a governed cluster says so.
    const why = error instanceof ServiceError ? (error.more.answer ?? error.message) : (error as Error).message
    try {
      if (await writeUnknown(clusterId, why))
        log.error({ err: error, clusterId }, 'the latch could not be checked or repaired; it will be repeated')
    } catch (unwritable) {
      log.error({ err: unwritable, clusterId, why }, 'the latch could not be checked, nor could that be written')
    }
  }
}
