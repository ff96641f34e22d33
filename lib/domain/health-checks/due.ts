import type { Risk } from './danger'

/** A condition of a Machine that a check may count, and that is not as it should be. */
export interface Amiss {
  type: string
  status: string
  since: string
}

/** The Machine's NodeReady has its time from the Node itself (machine_controller_status.go): by that a check counts, too. */
const MIRRORED: Record<string, string> = { Ready: 'NodeReady' }

export interface Due extends Pick<Risk, 'on' | 'type' | 'status'> {
  since: string
  at: string
}

/** By which condition a check finds a machine ill first, and when, if nothing changes; null: by none that is so now. */
export function dueOf(risks: readonly Pick<Risk, 'on' | 'type' | 'status' | 'seconds'>[], amiss: readonly Amiss[]) {
  let first: Due | null = null
  for (const { on, type, status, seconds } of risks) {
    const its = on === 'node' ? MIRRORED[type] : type
    const found = amiss.find((one) => one.type === its && one.status === status)
    if (!found) continue
    const at = new Date(Date.parse(found.since) + seconds * 1_000).toISOString()
    if (first === null || at < first.at) first = { on, type, status, since: found.since, at }
  }
  return first
}
