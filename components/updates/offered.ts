import type { ChangeDto, DecisionMode } from '@/lib/services/changes/change-row'
import { changesNone } from './moves'
import { isKnown, type Asked } from './standing-words'

type Offer = 'in-place' | 'replace' | 'let-go'

/**
 * The approvals that are still something to give. `given`: what this person approved, and may take back. Approved so already, and kept
 * for its time: once more only where that ends before.
 */
export function offered(
  { outlook, policy, dueMode }: Pick<ChangeDto, 'outlook' | 'dueMode'> & { policy: Asked },
  given: DecisionMode | null,
): Offer[] {
  const is = isKnown(policy) && policy.listed.due && !policy.listed.early ? dueMode : given
  // Where no machine that is there changes, both ways are one.
  if (changesNone(outlook)) return is ? [] : ['let-go']
  const ways: ('in-place' | 'replace')[] = outlook.only ? ['in-place'] : ['in-place', 'replace']
  return ways.filter((way) => way !== is)
}
