import type { Risk } from './danger'

/** A condition of a Machine that a check may count, and that is not as it should be. */
export interface Amiss {
  type: string
  status: string
  since: string
}

/** The Machine's NodeReady has its time from the Node itself (machine_controller_status.go): by that a check counts, too. */
const MIRRORED: Record<string, string> = { Ready: 'NodeReady' }

type By = Pick<Risk, 'on' | 'type' | 'status'>

/** What stands on a machine that a check counts by this. */
export const amissBy = ({ on, type, status }: By): Pick<Amiss, 'type' | 'status'> | null => {
  const its = on === 'node' ? MIRRORED[type] : type
  return its === undefined ? null : { type: its, status }
}

export interface Due extends By {
  since: string
  at: string
}

/** By which condition a check finds a machine ill first, and when, if nothing changes; null: by none that is so now. */
export function dueOf(risks: readonly (By & Pick<Risk, 'seconds'>)[], amiss: readonly Amiss[]) {
  let first: Due | null = null
  for (const { seconds, ...risk } of risks) {
    const by = amissBy(risk)
    const found = by && amiss.find(({ type, status }) => type === by.type && status === by.status)
    if (!found) continue
    const at = new Date(Date.parse(found.since) + seconds * 1_000).toISOString()
    if (first === null || at < first.at)
      first = { on: risk.on, type: risk.type, status: risk.status, since: found.since, at }
  }
  return first
}
