import { pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { log } from '@/lib/log'

/** Of several API servers the others follow by then; and what is given or taken away at once is one reason. */
const MOMENT_MS = 1_000
const PAUSE_MS = 5_000

/** Of the whole process, as the clients are that it is told by (connection.ts). */
const shared = globalThis as typeof globalThis & {
  __drydockAnew?: { due: Map<string, NodeJS.Timeout>; said: Map<string, number> }
}
const { due, said } = (shared.__drydockAnew ??= { due: new Map(), said: new Map() })

/** Has a cluster's worker ask anew what Drydock may do there: in a moment, and at most once in a few seconds. */
export function discoverAnew(clusterId: string): void {
  if (due.has(clusterId)) return
  const wait = Math.max(MOMENT_MS, (said.get(clusterId) ?? -Infinity) + PAUSE_MS - performance.now())
  due.set(clusterId, setTimeout(() => void say(clusterId), wait).unref())
}

/** It is not connected any more, or with other credentials, of which everything is asked. */
export function forgetAnew(clusterId: string): void {
  clearTimeout(due.get(clusterId))
  due.delete(clusterId)
  said.delete(clusterId)
}

async function say(clusterId: string): Promise<void> {
  due.delete(clusterId)
  said.set(clusterId, performance.now())
  try {
    await announce(pool(), { topic: 'clusters', cluster: clusterId, discover: true })
  } catch (err) {
    // It is asked now and then all the same.
    log().warn({ err, clusterId }, 'what Drydock may do there could not be asked for anew')
  }
}
