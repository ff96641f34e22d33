import { setTimeout as sleep } from 'node:timers/promises'

export interface BackoffOptions {
  /** Never less than half of this between two attempts. */
  floorMs: number
  capMs: number
}

/** Exponential, jittered between half and all of the step: many clients that lost the same server do not return together. */
export function backoffDelay(attempt: number, { floorMs, capMs }: BackoffOptions, random = Math.random): number {
  const step = Math.min(capMs, floorMs * 2 ** Math.min(attempt, 30))
  return Math.round(step / 2 + (random() * step) / 2)
}

/** Sleeps; false where it was cut short by an abort. */
export async function pause(ms: number, ...signals: AbortSignal[]): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: signals.length === 1 ? signals[0] : AbortSignal.any(signals) })
    return true
  } catch {
    return false
  }
}
