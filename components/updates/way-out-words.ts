import { isForbidden } from '@/lib/domain/policies'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { isKnown } from './standing-words'
import { fewOf } from './forbidden-words'

type Held = Pick<UpdateDetail, 'state' | 'outlook'> & Partial<Pick<UpdateDetail, 'policy'>>

/**
 * How a change goes on whose policy allows in place only, where it cannot be done so: `covers`: what an updater would have to cover;
 * null: no updater helps. Null: that is not what keeps it.
 */
export function wayOutOf({
  state,
  outlook,
  policy,
}: Held): { covers: string | null; policy: { id: string; name: string } | null } | null {
  if (!policy || !isKnown(policy) || !isForbidden({ state, outlook }, policy.listed)) return null
  const { strategy } = policy.rules
  if (strategy.value !== 'in-place-only') return null
  const covers = outlook.inPlace === null && outlook.uncovered.length > 0 ? fewOf(outlook.uncovered) : null
  return { covers, policy: strategy.policy }
}
