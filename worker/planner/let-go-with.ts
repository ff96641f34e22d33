import { db } from '@/lib/db/client'
import { isRule, type RevisionPair } from '@/lib/domain/changes'
import type { KubeObject } from '@/lib/kubernetes/types'
import { SENT } from '@/lib/services/changes/answered'
import { letGoOf, wasApproved } from '@/lib/services/changes/let-go'
import { NOT_NOW, STOPPED } from '@/lib/domain/latch/names'
import { NEVER_APPROVED, NOBODY } from '@/lib/services/policies/timing'
import { carriedOf, untilHeld } from './carry'
import type { Row } from './common'
import { isAhead, isNear } from './dates'
import { isGoverned } from './governed'

/** Nothing but its date moves it, and other such rules at most, whether that is ahead or has come. */
export const isByDate = ({ changes }: Pick<RevisionPair, 'changes'>): boolean =>
  changes.every(isRule) && changes.some(({ path }) => path === 'rollout.after')

/**
 * Whether what a group wants is what it was let go with. Where that is not known when its date is about to come, that is asked whoever
 * decided last, and there may be nobody: then no approval is in force, and it is held. Once it has come, it is what was decided last.
 * `byDate`: it moves by that.
 */
export async function isLetGoWith(
  clusterId: string,
  group: KubeObject,
  digest: string,
  byDate: boolean,
): Promise<boolean> {
  const { uid: groupId } = group.metadata
  const letGo = await letGoOf(clusterId, groupId)
  if (letGo !== null || !byDate || !isNear(group)) return letGo === digest
  if (isAhead(group)) return true
  const sent = await db().decision.findFirst({
    where: { change: { clusterId, groupId }, ...SENT },
    orderBy: { recordedAt: 'desc' },
    select: { change: { select: { digest: true } } },
  })
  return sent?.change.digest === digest
}

/**
 * What moves by its date, and is only paused by somebody in the cluster, goes as what is not held where its approval is in force (`words`:
 * null). Else the words of the hold that comes beside that pause, for whoever takes it away lets nothing go. Null: it moves otherwise, or
 * was not let go.
 */
export async function pausedAtDate(
  clusterId: string,
  group: KubeObject,
  { digest, pairs, replicas }: { digest: string; pairs: readonly RevisionPair[]; replicas: number },
  open: Row | null,
): Promise<{ words: string | null } | null> {
  const of = { clusterId, groupId: group.metadata.uid, digest }
  if (!pairs.every(isByDate) || !(await isLetGoWith(clusterId, group, digest, true))) return null
  if (!(await isGoverned(db(), of.groupId))) return null
  const carried = await carriedOf(of, { pairs, replicas }, open)
  if (carried && !carried.steps) return { words: null }
  const approved = await wasApproved(clusterId, of.groupId, digest)
  const until = approved ? await untilHeld(db(), of, open, carried, new Date()) : null
  const why = until ? `${until.pausedBy} ${until.pausedReason}` : `${NOBODY} ${NEVER_APPROVED}`
  return { words: `${STOPPED}${NOT_NOW}${why}` }
}
