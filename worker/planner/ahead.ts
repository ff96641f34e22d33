import { db } from '@/lib/db/client'
import { isRule, movesNow } from '@/lib/domain/changes'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { isHeld } from '@/lib/services/changes/hold-of'
import { differsUnheld } from '@/lib/services/changes/let-go-outside'
import type { Row } from './common'
import { isAhead, isImminent, isNear } from './dates'
import { isGoverned } from './governed'

/** What lies ahead counts: a date, whether what waits has not begun, and a rule that nobody let go. */
type Ahead = [ahead: boolean, waits: boolean, rules: boolean]

/**
 * Which of what moves machines later is a change now. Of what is held, all. A change that has nothing but a date ahead is not over before
 * that comes, whoever let it go; and what wants another date than it was let go with, and was never held, is one at once. Of what is
 * governed, a date is one some minutes before it comes: what is not to go by it has to be held by then, for Cluster API asks nobody. What is
 * under way with that date has all but the last of these for the rest of it.
 */
export async function aheadOf(live: KubeObject, open: Row | null): Promise<Ahead> {
  if (isHeld(live)) return [true, true, true]
  const digest = rolloutDigest(live) ?? ''
  const { uid } = live.metadata
  const isNow = open?.digest === digest ? isImminent(live) : isNear(live)
  const comes = isAhead(live) && isNow && (await isGoverned(db(), uid))
  if (open?.digest !== digest) return [comes || (isAhead(live) && (await differsUnheld(uid, digest))), false, false]
  const { pairs } = changeSetOf(open)
  const dated = pairs.length > 0 && !pairs.some(movesNow)
  const ruled = pairs.length > 0 && pairs.every(({ changes }) => changes.length > 0 && changes.every(isRule))
  // A rule that was let go moves machines for as long as it stands, so that nothing of it would ever be over.
  return [dated || comes, false, ruled && ['waiting', 'rejected'].includes(open.state)]
}
