import { isRule, movesNow, type RevisionPair } from '@/lib/domain/changes'
import { changeSetOf } from '@/lib/services/changes/change-row'
import type { Hold } from '@/lib/services/changes/hold-of'
import type { Row } from './common'
import { isRuledSince, isUnaskedSince } from './edited'
import { toldOtherwise } from './told-otherwise'

/**
 * What the same desired state comes to by now is the open change still: what was said of that stands. `begun`: machines of it have moved.
 * Before that, whoever approved it is asked again where more would be deleted (policyForbids).
 */
export function isStillKnown(open: Row, held: Hold, now: readonly RevisionPair[], begun: boolean): boolean {
  const { pairs } = changeSetOf(open)
  if (comesBesides(open, pairs, now)) return false
  if (begun && held === 'latch' && isInPlace(open) && now.some((pair) => isReplacedSince(open, pairs, pair)))
    return false
  const known = new Set(pairs.map(({ fingerprint }) => fingerprint))
  const isTold = toldOtherwise(open)
  const isAlike = ruledAlike(pairs, held)
  return now.every((pair) => known.has(pair.fingerprint) || isTold(pair) || isAlike(pair))
}

/** What it went by, or goes by when its time comes. What is being let go at this moment is not held any more. */
export const isInPlace = ({ decisions: [decision], dueMode }: Row): boolean =>
  decision ? decision.state === 'seen' && decision.mode === 'in-place' : dueMode === 'in-place'

/** As on its way (edited.ts): what was approved in place replaces none by what came since. */
const isReplacedSince = ({ groupKind }: Row, pairs: readonly RevisionPair[], now: RevisionPair): boolean =>
  isRuledSince(pairs, now) || (groupKind === 'KubeadmControlPlane' && isUnaskedSince(pairs, now))

/**
 * Nothing but rules that it has as well: by those, what it made so far moves once more. A date that lies ahead, or comes while the rest is
 * held in the middle, makes no other change of it. Where that comes on its way, a change of its own goes by it (carry.ts).
 */
function ruledAlike(pairs: readonly RevisionPair[], held: Hold): (now: RevisionPair) => boolean {
  const rules = new Set(pairs.flatMap(({ changes }) => changes.filter(isRule).map(({ path }) => path)))
  return ({ changes, later }) =>
    (later === true || held === 'latch') && isByRules({ changes }) && changes.every(({ path }) => rules.has(path))
}

/**
 * What goes machine by machine counts those that it had: what it made moves once more by its date, which it counts not. That is decided
 * anew as soon as it comes, or nothing else is left.
 */
function comesBesides(open: Row, pairs: readonly RevisionPair[], now: readonly RevisionPair[]): boolean {
  if (open.steps === null || open.stepsDone === 0 || pairs.every(isByRules)) return false
  const was = new Set(pairs.flatMap(({ from, later }) => (later ? [] : [from])))
  const hasCome = now.some((pair) => isByRules(pair) && !pair.later && !was.has(pair.from))
  return hasCome || !now.some(movesNow)
}

const isByRules = ({ changes }: Pick<RevisionPair, 'changes'>): boolean => changes.length > 0 && changes.every(isRule)
