import { isRule, movesNow } from '@/lib/domain/changes'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { rolloutAfter } from '@/lib/providers/cluster-api/changes'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { isHeld } from '@/lib/services/changes/hold-of'
import { differsUnheld } from '@/lib/services/changes/let-go-outside'
import type { Row } from './common'

/** What lies ahead counts: a date, whether what waits has not begun, and a rule that nobody let go. */
type Ahead = [ahead: boolean, waits: boolean, rules: boolean]

/**
 * Which of what moves machines later is a change now. Of what is held, all. A change that has nothing but a date ahead is not over before
 * that comes, whoever let it go; and what wants another date than it was let go with, and was never held, is one at once.
 */
export async function aheadOf(live: KubeObject, open: Row | null): Promise<Ahead> {
  if (isHeld(live)) return [true, true, true]
  const digest = rolloutDigest(live) ?? ''
  if (open?.digest !== digest) return [isAhead(live) && (await differsUnheld(live.metadata.uid, digest)), false, false]
  const { pairs } = changeSetOf(open)
  const dated = pairs.length > 0 && !pairs.some(movesNow)
  const ruled = pairs.length > 0 && pairs.every(({ changes }) => changes.length > 0 && changes.every(isRule))
  // A rule that was let go moves machines for as long as it stands, so that nothing of it would ever be over.
  return [dated, false, ruled && ['waiting', 'rejected'].includes(open.state)]
}

const isAhead = (group: KubeObject): boolean => Date.parse(rolloutAfter(group) ?? '') > Date.now()
