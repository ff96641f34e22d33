import type { Tx } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'

/** With a new decision on an object, what failed on it before is over: retried, it would undo the newer one. */
export async function supersedeFailed(tx: Tx, clusterId: string, target: string): Promise<void> {
  await tx.openShiftAction.updateMany({ where: { clusterId, target, state: 'failed' }, data: { state: 'superseded' } })
}

/**
 * Throws `conflict` where somebody has decided anew on the object since then. Also one that failed counts, for it may be stored; not
 * one that was cancelled.
 */
export async function requireNewest(tx: Tx, row: OpenShiftAction, words: string): Promise<void> {
  const { clusterId, target, recordedAt } = row
  const newer = await tx.openShiftAction.findFirst({
    where: { clusterId, target, recordedAt: { gt: recordedAt }, state: { not: 'cancelled' } },
    orderBy: { recordedAt: 'desc' },
    select: { actorName: true },
  })
  if (newer)
    throw new ServiceError('conflict', `${newer.actorName} has decided anew on ${words} since then.`, {
      hint: 'Look how it stands now, and decide again where that is not what you want.',
    })
}
