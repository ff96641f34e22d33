import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { asksNobody } from '@/lib/domain/changes/asks-nobody'
import { POOL } from '@/lib/domain/latch/hold'
import { ServiceError } from '../errors'

type Asked = Pick<Change, 'id' | 'groupId' | 'groupKind' | 'heldBy' | 'dueMode'>

/** Of these, what waits in a pool that Drydock neither governs nor holds. Of other groups that nobody governs, the gate may ask yet. */
export async function nobodyDecidesAmong(tx: Tx, changes: readonly Asked[]): Promise<Set<string>> {
  const free = changes.filter((change) => change.groupKind === POOL && change.dueMode === null && asksNobody(change))
  if (free.length === 0) return new Set()
  const groups = await tx.group.findMany({
    where: { id: { in: free.map(({ groupId }) => groupId) }, governed: false, held: null },
    select: { id: true },
  })
  const those = new Set(groups.map(({ id }) => id))
  return new Set(free.flatMap(({ id, groupId }) => (those.has(groupId) ? [id] : [])))
}

export const asksNobodyHere = (): ServiceError =>
  new ServiceError('conflict', 'Nobody is asked: Drydock does not govern this pool, and does not hold it.', {
    hint: 'It goes when its pause is taken away. Choose on the page of its cluster what Drydock governs.',
  })
