import { utc } from '@/lib/domain/policies'
import type { ChangePolicy } from '@/lib/services/changes/policy-of-change'

/** Who approved it already, and until when that counts. */
export const othersGave = ({ approvals }: Pick<ChangePolicy, 'approvals'>): string[] =>
  approvals.flatMap(({ actorName, mode, mine, endedAt, whyNot, expiresAt }) => {
    if (mine || endedAt !== null || whyNot !== null) return []
    const ends = expiresAt ? `, which expires ${utc(expiresAt)}` : ''
    return [`${actorName} approved it ${mode === 'in-place' ? 'in place' : 'replacing'}${ends}.`]
  })

/** Before somebody approves what is not let go by that: how long it counts; null: for good. */
export function lastsWords(
  { rules, ways, listed }: Pick<ChangePolicy, 'rules' | 'ways' | 'listed'>,
  mode: 'in-place' | 'replace',
): string | null {
  const { value, policy } = rules.expiresAfter
  if (value === 'never' || (ways[mode].missing <= 1 && listed.timing.open)) return null
  return `By the policy ${policy?.name} an approval expires after ${value}, unless the change is let go by then.`
}
