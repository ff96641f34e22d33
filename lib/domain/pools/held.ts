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
    ...(warning ? [`${warning}${tooLate(first, held)} ${last}`] : []),
    'Everything that goes through a MachineConfig waits: kernel arguments, files, registries, the OS of a release. What comes meanwhile is taken up as one.',
    'An update of the cluster completes without these nodes, unless the pool is marked as required for it.',
  ]
}

/** Of a paused pool, what a certificate's end brings; so near to it that its hold is called that everywhere, that it is dangerous. */
export function pausedWarning(certificates: readonly Certificate[], now: number, held: Held): string | null {
  const warning = certificateWarning({ certificates: [...certificates] }, now, wayOut(held))
  const first = firstToExpire(certificates)
  if (!warning) return null
  const ends = holdEnds(first && new Date(first.expiry))
  const said = `${warning}${tooLate(first, held)}`
  return ends && ends.getTime() <= now ? `That is dangerous: ${lower(said)}` : said
}
const lower = (words: string): string => `${words[0]!.toLowerCase()}${words.slice(1)}`

function lastDay(ends: Date, now: number, { ours, asks, kept }: Held): string {
  const day = ends.toISOString().slice(0, 10)
  const when = now < ends.getTime() ? `From ${day} on` : `Since ${day}`
  return `${when} this ${ours || asks || kept ? 'hold' : 'pause'} is called dangerous.`
}

/** What is approved may have to wait for longer than the certificate lasts; nothing else would say so. */
function tooLate(first: Certificate | null, { opens }: Held): string {
  if (!first || !opens || Date.parse(opens) < Date.parse(first.expiry)) return ''
  return ` By its policies it may not go before ${opens.slice(0, 10)}, which is too late: have its window or its wave opened sooner.`
}

/**
 * `ours`: by Drydock, which resumes it when what waits is approved; else by somebody's own pause. `asks`: an approval is missing. `kept`:
 * it cannot be resumed before what waits was let go. `opens`: when that may go, ISO.
 */
export interface Held {
  ours: boolean
  asks: boolean
  kept?: boolean
  opens?: string | null
}

/** How what waits gets to its nodes. */
export function wayOut({ ours, asks, kept }: Held): WayOut {
  if (ours)
    return asks
      ? 'approve its configuration, or have what it brings written back,'
      : 'its configuration is approved, and has to go'
  if (kept && !asks) return 'its configuration has to be let go by its policies, and the pool resumed after that,'
  return asks ? 'approve its configuration and resume the pool' : 'resume the pool'
}
