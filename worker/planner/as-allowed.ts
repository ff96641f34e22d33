import { db } from '@/lib/db/client'
import { insteadOf } from '@/lib/domain/policies'
import type { Hold } from '@/lib/services/changes/hold-of'
import type { Planned } from '@/lib/services/changes/planned'
import { ServiceError } from '@/lib/services/errors'
import { anyPolicySays, type Governed } from '@/lib/services/policies/rules-for'
import { rulesOf } from './rules-of'

interface Waits extends Governed {
  state: string
  heldBy: Hold
  /** As what it is approved, and kept for its time. */
  dueMode: string | null
}

/** What Drydock holds goes as its policies allow, and as it is approved: every page says of each machine what comes of that. */
export async function asAllowed(
  change: Waits,
  { verdicts, outlook }: Pick<Planned, 'verdicts' | 'outlook'>,
): Promise<Planned['verdicts']> {
  const { state, heldBy, dueMode } = change
  if (!['waiting', 'rejected'].includes(state) || heldBy === 'person' || heldBy === 'none') return verdicts
  const said = dueMode === 'replace' || (await anyPolicySays(db(), 'strategy'))
  const [rules] = said ? await rulesOf([change]) : []
  if (!rules || rules instanceof ServiceError) return verdicts
  const instead = insteadOf(rules, outlook, dueMode)
  if (!instead) return verdicts
  const { verdict, reason, of } = instead
  return new Map([...verdicts].map(([from, now]) => [from, of.has(now.verdict) ? { verdict, reason } : now]))
}
