import { db } from '@/lib/db/client'
import type { OpenShiftAction, OpenShiftCluster } from '@/lib/db/generated/client'
import { managedShows, type ManagedWish } from '@/lib/domain/boot-images/managed/plan'
import type { StoredManagers } from '@/lib/domain/skew/stored'
import { isAnother, showsSince } from './shown-since'

const ALL: Pick<ManagedWish, 'sets' | 'controlPlanes'> = { sets: { mode: 'All' } }

/** The newest choice of managed machine sets that was taken up; one that came with a return to automatic is all. */
const CHOICES = {
  OR: [{ kind: 'managed' }, { kind: 'skew', wish: { path: ['manageAll'], equals: true } }],
}

/** Whether it is over by now: the operator goes by something else. `by`: who wrote that. */
export async function loseChoice(clusterId: string, by: string | null): Promise<boolean> {
  const row = await db().openShiftAction.findFirst({
    where: { clusterId, state: 'seen', ...CHOICES },
    orderBy: { recordedAt: 'desc' },
  })
  if (!row || row.choiceLostAt) return false
  const card = await db().openShiftCluster.findUnique({ where: { clusterId } })
  if (!card || !(isAnother(card, row) || isOtherwise(card, row))) return false
  const { count } = await db().openShiftAction.updateMany({
    where: { id: row.id, choiceLostAt: null },
    data: { choiceLostAt: new Date(), choiceLostBy: by },
  })
  return count > 0
}

function isOtherwise(card: OpenShiftCluster, row: OpenShiftAction): boolean {
  if (!showsSince(card, row) || card.observedGeneration < card.generation) return false
  const { effective } = card.managed as unknown as Partial<StoredManagers>
  // Where nothing is told of it, nothing tells that it is otherwise.
  if (!effective) return false
  return !managedShows(effective, row.kind === 'managed' ? (row.wish as unknown as ManagedWish) : ALL)
}
