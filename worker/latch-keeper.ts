import { pause } from '@/lib/kubernetes/backoff'
import { inspectLatch, writeUnknown, type Inspection } from '@/lib/services/latch/inspect'
import { isLatchFree } from '@/lib/services/latch/lock'
import { repairLatch } from '@/lib/services/latch/repair-latch'
import { isRepairable } from '@/lib/services/latch/status'
import { ServiceError } from '@/lib/services/errors'
import { systemCtx } from '@/lib/services/context'
import { db } from '@/lib/db/client'
import { watchLatchObjects, type LatchObjects } from './latch-objects'
import { log as workerLog, type Log } from './log'
import { stillOwned } from './owned'

export interface LatchKeeperOptions {
  /** The management clusters that this worker owns at the moment. */
  clusters: () => Iterable<string>
  /** Of their leases; repairs are made by their owner only. */
  owner?: string
  intervalMs?: number
  /** So long a look waits for whoever changes the latch at that moment; a repair has to wait for the same. */
  patienceMs?: number
  log?: Log
}

export interface LatchKeeper {
  /** Look at one cluster now: its policy changed, its watch saw something odd, its gate's certificate was renewed. */
  poke(clusterId: string): void
  stop(): Promise<void>
}

const INTERVAL_MS = 15_000
const PATIENCE_MS = 30_000
const LOOK_AGAIN_MS = 250
/** So often between two looks something is put back at once; whoever undoes it all the time is not raced. */
const MOST_HEARD = 5

/**
 * Checks every owned cluster's latch periodically, and whenever one of its objects changes, and puts back what is missing or changed. What it finds stands on
 * the cluster's row, also when it cannot repair: a governed cluster is never silently unlatched.
 */
export function startLatchKeeper(options: LatchKeeperOptions): LatchKeeper {
  const log = options.log ?? workerLog
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const watched = new Map<string, LatchObjects>()
  const heard = new Map<string, number>()
  const abort = new AbortController()
  const { signal } = abort

  const keepWhenFree = async (clusterId: string): Promise<void> => {
    await untilFree(clusterId, options.patienceMs ?? PATIENCE_MS, signal)
    if (!signal.aborted) await keep(clusterId, options.owner, log, (seen) => follow(clusterId, seen))
  }
  const look = (clusterId: string): void => {
    if (signal.aborted) return
    if (running.has(clusterId)) return void again.add(clusterId)
    const work = keepWhenFree(clusterId).finally(() => {
      running.delete(clusterId)
      if (again.delete(clusterId)) look(clusterId)
    })
    running.set(clusterId, work)
  }
  const hear = (clusterId: string): void => {
    const times = heard.get(clusterId) ?? 0
    if (again.has(clusterId) || times >= MOST_HEARD) return
    heard.set(clusterId, times + 1)
    look(clusterId)
  }
  /** From the first look on that finds one installed there, until it is not any more, or the cluster is somebody else's. */
  const follow = (clusterId: string, seen: Inspection | null): void => {
    const { client, target } = seen ?? {}
    const installed = target && target.form !== 'watch' && target.cluster.latchForm !== 'none'
    const before = watched.get(clusterId)
    const policyVersion = target?.capabilities.latch.policy ?? null
    if (before && (!installed || before.client !== client || before.policyVersion !== policyVersion)) {
      watched.delete(clusterId)
      void before.stop()
    }
    if (signal.aborted || !installed || watched.has(clusterId)) return
    watched.set(
      clusterId,
      watchLatchObjects(client!, policyVersion, () => hear(clusterId)),
    )
  }
  const all = () => {
    heard.clear()
    const owned = new Set(options.clusters())
    for (const clusterId of watched.keys()) if (!owned.has(clusterId)) follow(clusterId, null)
    for (const clusterId of owned) look(clusterId)
  }
  const timer = setInterval(all, options.intervalMs ?? INTERVAL_MS)
  all()
  return {
    poke: look,
    stop: async () => {
      abort.abort()
      clearInterval(timer)
      await Promise.all([...running.values(), ...[...watched.values()].map((one) => one.stop())])
    },
  }
}

/** What somebody changes at that moment is half there: that is no finding. */
async function untilFree(clusterId: string, patienceMs: number, signal: AbortSignal): Promise<void> {
  const end = performance.now() + patienceMs
  // Where the database does not say, the look does.
  const isFree = () => isLatchFree(clusterId).catch(() => true)
  while (performance.now() < end && !signal.aborted && !(await isFree())) await pause(LOOK_AGAIN_MS, signal)
}

async function keep(
  clusterId: string,
  owner: string | undefined,
  log: Log,
  follow: (seen: Inspection) => void,
): Promise<void> {
  try {
    const seen = await inspectLatch(clusterId)
    const { status, target } = seen
    follow(seen)
    if (!isRepairable(status)) return
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
