import type { Outcome } from './types'

/** Machines that are dealt with: those that are updated or replaced, and those that come or go because others are wanted. */
export function machinesOf(outcome: Pick<Outcome, 'counts' | 'added' | 'removed'> | undefined): number {
  const { counts = {}, added = 0, removed = 0 } = outcome ?? {}
  const moved = Object.entries(counts).reduce((sum, [verdict, n]) => sum + (verdict === 'up-to-date' ? 0 : n), 0)
  return moved + added + removed
}

/** Machines that are updated where they stand, with a spare machine or without. */
export const inPlaceCount = (counts: Outcome['counts']): number =>
  (counts['in-place'] ?? 0) + (counts['in-place-with-spare'] ?? 0)

/** One spare comes before any other machine moves. Where it is there already, that is no more to come. */
export const spareComes = ({ counts, spare, forSpares }: Pick<Outcome, 'counts' | 'spare' | 'forSpares'>): boolean =>
  spare !== undefined || (forSpares === undefined && (counts['in-place-with-spare'] ?? 0) > 0)
