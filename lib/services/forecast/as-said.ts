import type { Outcome } from '@/lib/domain/changes'
import type { Planned } from './plan'

/**
 * Whether a plan comes to the numbers that were shown to whoever approves, besides what was under way already: what is
 * kept is held against what happens, and must be what was said.
 */
export function isAsSaid(
  { counts, created, deleted }: Outcome,
  { plan, before }: { plan: Pick<Planned['plan'], 'updated' | 'created' | 'deleted'>; before: Planned['before'] },
): boolean {
  const stay = (counts['in-place'] ?? 0) + (counts['in-place-with-spare'] ?? 0)
  const said = { updated: stay, created, deleted }
  return (['updated', 'created', 'deleted'] as const).every((what) => plan[what] - before[what] === said[what])
}
