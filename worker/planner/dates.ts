import type { KubeObject } from '@/lib/kubernetes/types'
import { rolloutAfter } from '@/lib/providers/cluster-api/changes'

/**
 * Long enough before a date that what is not to go then is held by then: also by clocks that differ, where the database is slow, after a
 * restart, and where hundreds have the same.
 */
const BEFORE_MS = 600_000
/** Enough to hold something by a database that takes seconds for each answer. */
const CLOSE_MS = 300_000
/** Before that, what is under way is let come to its end. */
const LAST_MS = 60_000
/** Before that, what cannot be read is asked for again. */
const READ_MS = 30_000
/** A clock may be set meanwhile, and no timer runs for weeks. */
const MOST_MS = 3_600_000

/** In how many milliseconds the date comes that its machines are replaced by; null: there is none. */
function untilDate(group: KubeObject): number | null {
  return until(rolloutAfter(group) ?? '')
}
function until(date: string): number | null {
  const at = Date.parse(date)
  return Number.isNaN(at) ? null : at - Date.now()
}

export const isAhead = (group: KubeObject): boolean => (untilDate(group) ?? 0) > 0

/** It comes in some minutes, or has come. */
export const isNear = (group: KubeObject): boolean => isNearDate(rolloutAfter(group) ?? '')
export const isNearDate = (date: string): boolean => (until(date) ?? Infinity) <= BEFORE_MS

/** Whatever cannot be looked at by now is held. */
export const isClose = (group: KubeObject): boolean => isCloseDate(rolloutAfter(group) ?? '')
export const isCloseDate = (date: string): boolean => (until(date) ?? Infinity) <= CLOSE_MS

/** No time is left for anything else. */
export const isImminent = (group: KubeObject): boolean => (untilDate(group) ?? Infinity) <= LAST_MS

/** Nor to read what cannot be read. */
export const isTooLateToRead = (group: KubeObject): boolean => (untilDate(group) ?? Infinity) <= READ_MS

/** In how long a date that lies ahead is looked at: well before it, each minute then, and when it comes. Null: none lies ahead. */
export function untilLooked(group: KubeObject): number | null {
  const until = untilDate(group)
  if (until === null || until <= 0) return null
  if (until > BEFORE_MS) return Math.min(until - BEFORE_MS, MOST_MS)
  return until > LAST_MS ? Math.min(until - LAST_MS, LAST_MS) : until
}
