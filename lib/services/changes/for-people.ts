import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { wasLetGo } from './let-go-outside'

/** Somebody rejected, stopped or let go this very desired state before, or the cluster refused it: from then on it is for people. */
export async function isForPeople(change: Pick<Change, 'id' | 'groupKind' | 'groupId' | 'digest'>): Promise<boolean> {
  const { groupId, digest } = change
  const before = {
    change: { groupId, digest },
    OR: [{ mode: 'reject' }, { state: { in: ['voided', 'failed'] } }],
  }
  return (await db().decision.count({ where: before })) > 0 || (await wasLetGo(change))
}
