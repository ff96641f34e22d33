import { holdEnds } from '../holds'
import { firstToExpire } from './certificates'
import { certificateWarning, type WayOut } from './pause-risk'
import type { Certificate } from './types'

/** What does not happen while a pool is held, what hurts first. */
export function suspendedPool(certificates: readonly Certificate[], now: number, held: Held): string[] {
  const first = firstToExpire(certificates)
  const warning = certificateWarning({ certificates: [...certificates] }, now, wayOut(held))
  const ends = holdEnds(first && new Date(first.expiry))
  const last = ends && lastDay(ends, now, held)
  return [
    ...(warning ? [`${warning} ${last}`] : []),
    'Everything that goes through a MachineConfig waits: kernel arguments, files, registries, the OS of a release. What comes meanwhile is taken up as one.',
    'An update of the cluster completes without these nodes, unless the pool is marked as required for it.',
  ]
}

/** Of a paused pool, what a certificate's end brings; so near to it that its hold is called that everywhere, that it is dangerous. */
export function pausedWarning(certificates: readonly Certificate[], now: number, held: Held): string | null {
  const warning = certificateWarning({ certificates: [...certificates] }, now, wayOut(held))
  const first = firstToExpire(certificates)
  const ends = holdEnds(first && new Date(first.expiry))
  return warning && ends && ends.getTime() <= now ? `That is dangerous: ${lower(warning)}` : warning
}
const lower = (words: string): string => `${words[0]!.toLowerCase()}${words.slice(1)}`

function lastDay(ends: Date, now: number, { ours, asks }: Held): string {
  const day = ends.toISOString().slice(0, 10)
  const when = now < ends.getTime() ? `From ${day} on` : `Since ${day}`
  return `${when} this ${ours || asks ? 'hold' : 'pause'} is called dangerous.`
}

/** `ours`: by Drydock, which resumes it when what waits is approved; else by somebody's own pause. `asks`: an approval is missing. */
export interface Held {
  ours: boolean
  asks: boolean
}

/** How what waits gets to its nodes. */
export function wayOut({ ours, asks }: Held): WayOut {
  if (ours)
    return asks
      ? 'approve its configuration, or have what it brings written back,'
      : 'its configuration is approved, and has to go'
  return asks ? 'approve its configuration and resume the pool' : 'resume the pool'
}
