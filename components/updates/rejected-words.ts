import { outOfServiceWords } from '@/lib/domain/changes/outlook-words'
import { capital } from '@/lib/domain/text'
import type { ChangeDto } from '@/lib/services/changes/change-row'
import { happenedWords } from './outcome-words'

/** "Ada rejected this change of w: “bad image”. 1 updated in place; the rest stays as it is." */
export function rejectedWords(change: ChangeDto): string {
  const { decision, groupName } = change
  const who = decision?.mode === 'reject' ? decision : null
  const reason = who?.reason ? `: “${shortened(who.reason)}”` : ''
  const done = happenedWords(change)
  const out = change.outlook.before?.outOfService ?? 0
  const what = [
    ...(done ? [done] : []),
    ...(stillGoing(change) ? ['what has begun goes on to its end'] : []),
    ...(out > 0 ? [outOfServiceWords(out)] : []),
  ].join('; ')
  return `${who?.actorName ?? 'Somebody'} rejected this change of ${groupName}${reason}. ${what ? `${capital(what)}; the rest` : 'All of it'} stays as it is.`
}
const MOST_REASON = 120
const shortened = (words: string): string =>
  words.length > MOST_REASON ? `${words.slice(0, MOST_REASON - 1)}…` : words

/** More was dealt with by then, or is at it, than is through. */
function stillGoing({ outlook, outcome }: Pick<ChangeDto, 'outlook' | 'outcome'>): boolean {
  const { inPlace, created, deleted, ...others } = outlook.before ?? { inPlace: 0, created: 0, deleted: 0 }
  const { outOfService = 0, underWay = 0 } = others
  const { updatedInPlace = 0, created: made = 0, deleted: gone = 0, failed = 0 } = outcome ?? {}
  return inPlace + underWay - outOfService + created + deleted > updatedInPlace + made + gone + failed
}

/** What was said by then does not let it go any more. */
export const isRejectedSince = ({ state, decision }: Pick<ChangeDto, 'state' | 'decision'>, at: string): boolean =>
  state === 'rejected' && decision?.mode === 'reject' && decision.recordedAt > at
