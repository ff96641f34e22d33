import { db } from '@/lib/db/client'
import { isRule, movesNow } from '@/lib/domain/changes'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { GroupChange } from '@/lib/providers/cluster-api/changes'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { isHeld } from '@/lib/services/changes/hold-of'
import { letGoOf } from '@/lib/services/changes/let-go'
import { differsUnheld } from '@/lib/services/changes/let-go-outside'
import { carriedOf } from './carry'
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

/**
 * Held, and again what it was let go with, of which nothing but a date is left: as where it is not held, that is a change when it is near.
 * Not where an approval of it was taken back, or somebody keeps it back: that waits for people.
 */
export async function isBackBeforeDate(
  clusterId: string,
  live: KubeObject,
  { digest, replicas, pairs: compared }: GroupChange,
): Promise<boolean> {
  const pairs = compared.map(({ pair }) => pair)
  if (!isHeld(live) || isNear(live) || pairs.length === 0 || pairs.some(movesNow)) return false
  const of = { clusterId, groupId: live.metadata.uid, digest }
  if ((await letGoOf(clusterId, of.groupId)) !== digest) return false
  return (await db().change.count({ where: of })) === 0 || (await carriedOf(of, { pairs, replicas }, null)) !== null
}
