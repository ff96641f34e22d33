import { db } from '@/lib/db/client'
import { isRule, type RevisionPair } from '@/lib/domain/changes'
import type { KubeObject } from '@/lib/kubernetes/types'
import { SENT } from '@/lib/services/changes/answered'
import { letGoOf } from '@/lib/services/changes/let-go'
import { isAhead, isNear } from './dates'

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
