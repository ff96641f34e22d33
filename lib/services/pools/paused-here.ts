import { DRYDOCK } from '@/lib/providers/written-by'

interface Pool {
  paused: boolean
  pausedBy: string | null
  pausedSince: Date | null
}

interface Stored {
  action: string
  recordedAt: Date
}

/** The operator itself pauses no pool: what it wrote was paused by the latch, in the write that brought a configuration. */
const isOperator = (manager: string | null): boolean => manager?.startsWith('machine-config-') ?? false

/**
 * The pause that stands is this decision of a person. Who wrote `spec.paused` tells it; where the pool was held by then the decision
 * changed nothing of that, and it stands if the pool was paused ever since.
 */
export function isPausedBy(pool: Pool, stored: Stored | null, held: boolean): boolean {
  if (!pool.paused || held || stored?.action !== 'pause') return false
  const wasPaused = pool.pausedSince !== null && pool.pausedSince <= stored.recordedAt
  return pool.pausedBy === DRYDOCK || (wasPaused && isOperator(pool.pausedBy))
}

/** Of these decisions, the newest first, the one that the pause that stands began with: whoever reviews it says it again. */
export function firstPause<T extends Stored>(pool: Pool, stored: readonly T[], held: boolean): T | null {
  const since = pool.pausedSince?.getTime() ?? Infinity
  const isAgain = (one: Stored): boolean =>
    isPausedBy(pool, one, held) && one.recordedAt.getTime() >= since - WRITTEN_MS
  const other = stored.findIndex((one) => !isAgain(one))
  const first = stored.at(other < 0 ? -1 : Math.max(0, other - 1))
  return first && isPausedBy(pool, first, held) ? first : null
}

/** The same, also where nobody knows who wrote the pause: its date counts on. As lists have it (POOL_REVIEW). */
export const isStillPausedBy = (pool: Pool, seen: Parameters<typeof isPausedBy>[1], held: boolean): boolean =>
  isPausedBy({ ...pool, pausedBy: pool.pausedBy ?? DRYDOCK }, seen, held)

/** In the write of that decision, which is on record: since when is known. The newest write of whoever owns the pause tells it at the latest only. */
export const isSinceKnown = (pool: Pool, stored: Stored | null, held: boolean): boolean =>
  isPausedBy(pool, stored, held) &&
  pool.pausedBy === DRYDOCK &&
  pool.pausedSince !== null &&
  Math.abs(pool.pausedSince.getTime() - stored!.recordedAt.getTime()) < WRITTEN_MS
/** A decision is written so long after it was recorded, at the most; by the clocks of two. */
export const WRITTEN_MS = 60_000
