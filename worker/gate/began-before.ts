import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { isSurelyOther } from '@/lib/services/changes/answered'
import type { ApprovedPair } from '@/lib/services/changes/approved-pairs'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { isOpen } from '@/lib/services/changes/states'

type Wanted = Pick<Change, 'id' | 'changeSet'>

/** What was wanted before it is over for long. */
const MOST_CHANGES = 20

/** Latches that hold a group in the write by which it wants something else. */
const SAME_WRITE = ['policy-v1', 'policy-v1beta1', 'webhook']

/**
 * What a group wanted lately, newest first; none where what it wants now is not `changeId`, or may be another thing already: where nothing
 * holds it in the same write, Cluster API may have marked by an answer that it remembers, before that is on record.
 */
export async function latelyWanted(
  of: Pick<Change, 'clusterId' | 'groupId'>,
  changeId: string,
): Promise<readonly Wanted[]> {
  const latched = { id: of.groupId, governed: true, cluster: { id: of.clusterId, latchForm: { in: SAME_WRITE } } }
  if ((await db().group.count({ where: latched })) === 0) return []
  const orderBy = { detectedAt: 'desc' } as const
  const select = { id: true, changeSet: true, state: true }
  const changes = await db().change.findMany({ where: of, orderBy, take: MOST_CHANGES, select })
  const newest = changes[0]
  return newest?.id === changeId && isOpen(newest.state) ? changes : []
}

/**
 * Whether a machine that is marked by what was approved of an older change was marked before all newer ones: Cluster API marks for the
 * MachineSet that is wanted in that moment, and none of them wanted that one again, nor what fits it. So of a machine that it marks as
 * its group is held for a newer change, which no record knows to have begun.
 */
export function beganBefore(lately: readonly Wanted[], changeId: string, approved: readonly ApprovedPair[]): boolean {
  const i = lately.findIndex(({ id }) => id === changeId)
  return i > 0 && lately.slice(0, i).every((newer) => isSurelyOther(approved, changeSetOf(newer).pairs))
}
