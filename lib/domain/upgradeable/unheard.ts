import { minorOf } from '../skew/version'
import { unheardWords, type Unheard } from '../unheard'
import { upgradeability } from './judge'
import type { Upgradeability, UpgradeFacts } from './types'

/** "Its ClusterVersion cannot be read: … Whether updates beyond 4.22 are open is not known." */
export const unheardSentence = (unheard: Unheard, desired: string | null): string =>
  `${unheardWords(unheard)} Whether updates beyond ${minorOf(desired ?? '') ?? 'this minor version'} are open is not known.`

/**
 * ClusterVersion is not heard any more: nobody knows whether updates are open, whatever they were. Who objects by itself may be heard
 * still; what only ClusterVersion said is old, and so is whether it says so, too.
 */
export function unheardUpdates(facts: UpgradeFacts, unheard: Unheard): Upgradeability {
  const judged = upgradeability({ ...facts, conditions: null, overrides: [] })
  const blockers = judged.blockers.map((blocker) => ({ ...blocker, said: 'both' as const }))
  return { ...judged, blockers, sentence: unheardSentence(unheard, facts.desired) }
}
