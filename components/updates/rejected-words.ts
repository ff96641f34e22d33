import { outOfServiceWords } from '@/lib/domain/changes/outlook-words'
import { capital } from '@/lib/domain/text'
import { approvalsWords } from '@/lib/domain/policies'
import type { ChangeDto, DecisionDto } from '@/lib/services/changes/change-row'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import { happenedWords } from './outcome-words'

/** "Ada rejected this change of w: “bad image”. 1 updated in place; the rest stays as it is." */
export function rejectedWords(change: ChangeDto, standing: Given = null): string {
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
  return `${who?.actorName ?? 'Somebody'} rejected this change of ${groupName}${reason}. ${what ? `${capital(what)}; the rest` : 'All of it'} stays as it is.${since(standing, ' By now it has ', ': with as many as are asked for it goes after all.')}`
}

/** Before it is approved after all: who said no to it, and why; null: nobody did. */
export function againstWords({ state, decision }: Pick<ChangeDto, 'state' | 'decision'>): string | null {
  if (state !== 'rejected' || decision?.mode !== 'reject') return null
  const reason = decision.reason ? `: “${shortened(decision.reason)}”` : ''
  return `${decision.actorName} rejected it${reason}. Enough approvals let it go all the same.`
}

type Given =
  Partial<Pick<ListedStanding, 'way' | 'given' | 'otherwise' | 'needed' | 'due' | 'forbidden'>> | null | undefined

/** The same in few words, for the lists: "Rejected by Ada, 1 of 3 approvals since". */
export const rejectedShort = (decision: Pick<DecisionDto, 'actorName'> | null, standing: Given): string =>
  `Rejected${decision?.actorName ? ` by ${decision.actorName}` : ''}${since(standing, ', ', ' since')}`

/** Who approved it after that are not enough yet: a rejection ends all approvals before it. */
function since(standing: Given, before: string, behind: string): string {
  const { way, given = 0, otherwise = 0, needed = 0, due, forbidden } = standing ?? {}
  if (!way || due || forbidden || given + otherwise === 0) return ''
  return `${before}${approvalsWords({ way, given, otherwise, needed })}${behind}`
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
