import type { ChangeOutcome } from './change-row'

interface Late {
  state: string
  finishedAt: Date | null
}

/** An outcome in which machines that were made, or updated, and count as failed by their policy (`late`) are those that failed. */
export function withLate(outcome: ChangeOutcome, late: readonly Late[]): ChangeOutcome {
  if (late.length === 0) return outcome
  const updated = late.filter(({ state }) => state === 'done').length
  // One that was never up was not counted as created.
  const created = late.filter(({ state, finishedAt }) => state === 'created' && finishedAt !== null).length
  return {
    ...outcome,
    updatedInPlace: Math.max(0, outcome.updatedInPlace - updated),
    created: Math.max(0, outcome.created - created),
    failed: outcome.failed + late.length,
  }
}
