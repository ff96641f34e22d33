import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { differences } from '@/lib/domain/latch/diff'
import { EXTENSION_CONFIG, RELEASE } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { systemCtx } from '@/lib/services/context'
import { gateTarget } from '@/lib/services/gate/manifest'
import { registerGate } from '@/lib/services/gate/register-gate'
import { log as workerLog, type Log } from '../log'
import { stillOwned } from '../owned'
import { startRounds, type Rounds } from '../rounds'

export interface RegistrationKeeperOptions {
  owner: string
  clusters: () => Iterable<string>
  intervalMs?: number
  log?: Log
}

const INTERVAL_MS = 60_000
/** What is refused is tried less and less often: every attempt is on record. */
const LONGEST_WAIT = 60

/**
 * Tells every registration of a new certificate authority as soon as there is one: long before anything is signed by
 * it, so that the managers trust the old and the new one meanwhile. Whatever else somebody changed, or marked to
 * be let go, is left alone: the cluster's page says so.
 */
export function startRegistrationKeeper(options: RegistrationKeeperOptions): Rounds {
  const { owner, clusters, intervalMs = INTERVAL_MS, log = workerLog } = options
  /** Rounds to leave out, and how many it will be after the next failure. */
  const waiting = new Map<string, { left: number; next: number }>()
  return startRounds(async (stopped) => {
    for (const clusterId of [...clusters()]) {
      if (stopped()) return
      const wait = waiting.get(clusterId)
      if (wait && wait.left-- > 0) continue
      try {
        if (await renewRegistration(clusterId, owner))
          log.info({ clusterId }, 'the registration knows the new authority')
        waiting.delete(clusterId)
      } catch (error) {
        const left = wait?.next ?? 1
        waiting.set(clusterId, { left, next: Math.min(LONGEST_WAIT, left * 2) })
        log.warn({ err: error, clusterId }, 'the registration could not be looked after; it will be repeated')
      }
    }
  }, intervalMs)
}

/** Registers again where only the trusted authorities are not what they should be. */
export async function renewRegistration(clusterId: string, owner: string): Promise<boolean> {
  const row = await db().managementCluster.findUnique({
    where: { id: clusterId },
    select: { gateState: true, gateBase: true },
  })
  if (row?.gateState !== 'registered') return false
  const { resource, manifest } = await gateTarget(clusterId)
  const client = await kubeClientFor(clusterId)
  let found
  try {
    found = await client.get(resource, EXTENSION_CONFIG)
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return false
    throw error
  }
  if (RELEASE in (found.metadata.annotations ?? {})) return false
  const differs = differences(manifest.spec ?? {}, (found.spec ?? {}) as JsonObject, 'spec')
  if (differs.length === 0 || differs.some((path) => path !== 'spec.clientConfig.caBundle')) return false
  await stillOwned(db(), clusterId, { owner })
  await registerGate(systemCtx('gate-keeper'), { clusterId, ...(row.gateBase ? { url: row.gateBase } : {}) })
  return true
}
