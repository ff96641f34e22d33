import type { Outcome } from '@/lib/domain/changes'
import type { Plan } from './plan'

/**
 * Whether a plan comes to the numbers that were shown to whoever approves: what is kept is held against what happens, and
 * must be what was said. They differ where the machines changed since they were last looked at.
 */
export function isAsSaid(
  { counts, created, deleted }: Outcome,
  plan: Pick<Plan, 'updated' | 'created' | 'deleted'>,
): boolean {
  const stay = (counts['in-place'] ?? 0) + (counts['in-place-with-spare'] ?? 0)
  return plan.updated === stay && plan.created === created && plan.deleted === deleted
}
