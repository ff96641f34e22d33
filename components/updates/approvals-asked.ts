import { ruleWords, type Resolved } from '@/lib/domain/policies'
import type { ChangePolicy } from '@/lib/services/changes/policy-of-change'

type Asked = Pick<ChangePolicy, 'authorKnown' | 'unasked'> & { rules: Pick<Resolved, 'notTheAuthor'> }

/** One person more has to approve it, for who wrote it is not known. What goes by itself waits for nobody. */
export const asksOneMore = ({ rules, authorKnown, unasked }: Asked): boolean =>
  rules.notTheAuthor.value && !authorKnown && !unasked?.goes

/** Behind "it does not go by itself". */
export const yetWords = ({ open }: Extract<ChangePolicy['unasked'], { goes: false }>): string => (open ? ' yet' : '')

/** How many have to approve it. `unasked`: of what asks nobody, whether it goes by itself, or why not. */
export function approvalsWords(
  approvals: number,
  { unasked, oneMore, rejected = false }: { unasked: ChangePolicy['unasked']; oneMore: boolean; rejected?: boolean },
): string {
  if (unasked?.goes) return 'none: it goes by itself when nothing else holds it'
  if (unasked) return `none, but it does not go by itself${yetWords(unasked)}. ${unasked.why}`
  if (rejected && approvals === 0) return 'none, but it was rejected: somebody has to approve it'
  return `${ruleWords('approvals', approvals)}${oneMore ? ', and one more: who wrote the change is not known' : ''}`
}
