import type { Outlook } from '../changes/types'
import { ABLE, type Verdict } from '../verdict'
import type { Resolved } from './types'
import { whyNotThisWay } from './ways'

/** What comes of machines instead of what Cluster API and the updaters would do, and of which ones by their verdict. */
export interface Instead {
  verdict: Verdict
  reason: string
  of: ReadonlySet<Verdict>
}

/**
 * Of a change that waits: replaced, where its policy or its approvals would have it so, or not at all, where its policy lets it go
 * in neither way. `due`: as what enough people approved it already. Null: what is said of each machine holds.
 */
export function insteadOf(rules: Pick<Resolved, 'strategy'>, outlook: Outlook, due: string | null): Instead | null {
  if (outlook.blocked) return null
  const [inPlace, replace] = [whyNotThisWay('in-place', rules, outlook), whyNotThisWay('replace', rules, outlook)]
  const able = outlook.inPlace !== null
  if (replace !== null) {
    // What nobody knows yet may turn out to be covered.
    if ((able || outlook.unknown) && inPlace === null) return null
    return outlook.unknown ? null : { verdict: 'blocked', reason: replace, of: new Set<Verdict>([...ABLE, 'replace']) }
  }
  const reason = inPlace ?? (due === 'replace' ? 'It is approved replacing.' : null)
  return reason && (able || outlook.unknown) ? { verdict: 'replace', reason, of: new Set(ABLE) } : null
}
