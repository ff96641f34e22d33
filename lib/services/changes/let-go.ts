import { db } from '@/lib/db/client'
import { isPool } from '@/lib/domain/latch/hold'
import { markOf } from '@/lib/domain/latch/watch'
import type { KubeObject } from '@/lib/kubernetes/types'
import { isHeld } from './hold-of'

/**
 * Digest of what a group was last let go with; null where that is not known. Here and below a group is one of this management
 * cluster: another that answers with the same uids, a copy, knows nothing of it and says nothing about it.
 */
export async function letGoOf(clusterId: string, groupId: string): Promise<string | null> {
  const row = await db().group.findUnique({ where: { id: groupId, clusterId }, select: { letGo: true } })
  return row?.letGo ?? null
}

/** Its row is another connected cluster's, of which this one is a copy: nothing of it is planned, decided or let go here. */
export async function isElsewhere(clusterId: string, groupId: string): Promise<boolean> {
  const cluster = { credential: { isNot: null } }
  return (await db().group.count({ where: { id: groupId, clusterId: { not: clusterId }, cluster } })) > 0
}

/** Of these groups those of which that is so. */
export async function thoseElsewhere(clusterId: string, groupIds: string[]): Promise<string[]> {
  const where = { id: { in: groupIds }, clusterId: { not: clusterId }, cluster: { credential: { isNot: null } } }
  return (await db().group.findMany({ where, select: { id: true } })).map(({ id }) => id)
}

/** Whether somebody approved this desired state of the group, and it was let go so. */
export async function wasApproved(clusterId: string, groupId: string, digest: string): Promise<boolean> {
  const where = { change: { clusterId, groupId, digest }, mode: { not: 'reject' }, acceptedAt: { not: null } }
  return (await db().decision.count({ where })) > 0
}

/** Nothing lets it go by itself until it is known again. Says what it was. */
export async function forgetLetGo(clusterId: string, groupId: string): Promise<string | null> {
  const letGo = await letGoOf(clusterId, groupId)
  if (letGo !== null) await db().group.updateMany({ where: { id: groupId, clusterId }, data: { letGo: null } })
  return letGo
}

/** Nothing was released after all. */
export async function restoreLetGo(clusterId: string, groupId: string, letGo: string | null): Promise<void> {
  if (letGo !== null) await db().group.updateMany({ where: { id: groupId, clusterId, letGo: null }, data: { letGo } })
}

/** What `isUnseen` asks of a group's row. */
export const WATCHED = {
  ...{ watched: true, watchTrouble: true },
  cluster: { select: { watchSince: true, watchPoolsOnly: true } },
} as const
interface Watched {
  watched: string | null
  cluster: { watchSince: Date | null; watchPoolsOnly: boolean }
}
/** What it wants is not what the watch let be, where Drydock itself is the latch. */
export const isUnseen = ({ watched, cluster }: Watched, group: KubeObject, digest: string): boolean =>
  cluster.watchSince !== null &&
  (isPool(group) || !cluster.watchPoolsOnly) &&
  watched !== markOf(group.apiVersion, digest)

/** It goes, and is about to be paused, or let be: what it comes to is known then. What could not be paused does go. */
export async function awaitsWatch(clusterId: string, group: KubeObject, digest: string): Promise<boolean> {
  if (isHeld(group)) return false
  const row = await db().group.findUnique({ where: { id: group.metadata.uid, clusterId }, select: WATCHED })
  return row !== null && row.watchTrouble === null && isUnseen(row, group, digest)
}
