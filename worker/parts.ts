import { backoffDelay, pause } from '@/lib/kubernetes/backoff'
import type { Log } from './log'
import { failures } from './metrics'
import { skewConsumer, stop as forgetSkew } from './skew/index'
import type { Consumer } from './types'

/** What follows every management cluster that this worker owns. */
export const consumers: Consumer[] = [{ ...skewConsumer, forget: forgetSkew }]

/** What runs once per worker process, whatever clusters it owns. */
export interface Part {
  name: string
  start(context: PartContext): Promise<{ stop(): Promise<void> }>
}

export interface PartContext {
  owner: string
  log: Log
}

export const parts: Part[] = []

/** Starts the parts; one that cannot start (its port is taken, the database is away) is tried again and holds up nothing. */
export function startParts(wanted: Part[] = parts, context: PartContext): { stop(): Promise<void> } {
  const abort = new AbortController()
  const running = wanted.map((part) => keepStarting(part, context, abort.signal))
  return {
    stop: async () => {
      abort.abort()
      const started = await Promise.all(running)
      await Promise.all(started.map((part) => part?.stop()))
    },
  }
}

async function keepStarting(part: Part, context: PartContext, signal: AbortSignal) {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      return await part.start(context)
    } catch (error) {
      failures.inc({ cluster: '', what: part.name })
      context.log.error({ err: error, part: part.name }, `the ${part.name} could not start; trying again`)
      await pause(backoffDelay(attempt, { floorMs: 1000, capMs: 15_000 }), signal)
    }
  }
  return undefined
}
