import { DRYDOCK } from '@/lib/providers/written-by'

interface Pool {
  paused: boolean
  pausedBy: string | null
  pausedSince: Date | null
}

/** The operator itself pauses no pool: what it wrote was paused by the latch, in the write that brought a configuration. */
const isOperator = (manager: string | null): boolean => manager?.startsWith('machine-config-') ?? false

/**
 * The pause that stands is this decision of a person. Who wrote `spec.paused` tells it; where the pool was held by then the decision
 * changed nothing of that, and it stands if the pool was paused ever since.
 */
export function isPausedBy(pool: Pool, stored: { action: string; recordedAt: Date } | null, held: boolean): boolean {
  if (!pool.paused || held || stored?.action !== 'pause') return false
  const wasPaused = pool.pausedSince !== null && pool.pausedSince <= stored.recordedAt
  return pool.pausedBy === DRYDOCK || (wasPaused && isOperator(pool.pausedBy))
}
