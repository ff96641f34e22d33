import type { Change, Decision } from '@/lib/db/generated/client'

/** Why it is held, or to be held, that was counted as done. */
export const COUNTED = 'it was counted as done, and machines of before are there again'
/** Of one of its machines that was not well then. */
export const COUNTED_WHY = 'not Ready when it was counted as done'

type Of = Pick<Change, 'settling' | 'countedDoneAt' | 'stoppedBy' | 'stoppedWhy' | 'stoppedAt'>

/**
 * Somebody counted it as done as it was, and the worker has not written that yet, or could not hold it since: by that word nothing more
 * begins. By the database's clock.
 */
export function isCounted(
  { settling, countedDoneAt, stoppedAt, ...stop }: Of,
  newest: Pick<Decision, 'acceptedAt' | 'recordedAt'> | undefined,
): boolean {
  if (stoppedAt !== null) return isToHold(stop)
  return settling && countedDoneAt !== null && !(newest?.acceptedAt && newest.recordedAt > countedDoneAt)
}

/** It is to stop for that, and is not held yet. */
export const isToHold = ({ stoppedBy, stoppedWhy }: Pick<Change, 'stoppedBy' | 'stoppedWhy'>): boolean =>
  stoppedBy === '' && stoppedWhy === COUNTED
