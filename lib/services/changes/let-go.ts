import { db, type Tx } from '@/lib/db/client'
import { isPool } from '@/lib/domain/latch/hold'
import { markOf } from '@/lib/domain/latch/watch'
import type { KubeObject } from '@/lib/kubernetes/types'
import { SENT } from './answered'
import { isHeld } from './hold-of'
import { DECISION } from './patch-for'

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

/**
 * Remembers what a group is let go with: what it may be changed back to without anybody's approval. An object that does
 * not bear the newest decision is an old one, or somebody else wrote over it: then nothing is known. False where the
 * group has no row yet, or where it goes only because Drydock, which is the latch there, has not paused it yet.
 */
export async function keepLetGo(clusterId: string, group: KubeObject, digest: string): Promise<boolean> {
  const id = group.metadata.uid
  const row = await db().group.findUnique({ where: { id, clusterId }, select: { letGo: true, ...WATCHED } })
  if (!row || isUnseen(row, group, digest)) return false
  if ((await knownOf(db(), group, clusterId, digest)) === row.letGo) return true
  return db().$transaction(async (tx) => {
    // Locked: what a decision that is sent meanwhile makes unknown must not be known again from an older object.
    const there = await tx.$queryRaw<
      unknown[]
    >`SELECT 1 FROM machine_group WHERE id = ${id}::uuid AND cluster_id = ${clusterId}::uuid FOR UPDATE`
    if (there.length === 0) return false
    await tx.group.update({ where: { id }, data: { letGo: await knownOf(tx, group, clusterId, digest) } })
    return true
  })
}

async function knownOf(tx: Tx, group: KubeObject, clusterId: string, digest: string): Promise<string | null> {
  const newest = await tx.decision.findFirst({
    where: { change: { groupId: group.metadata.uid, clusterId }, ...SENT },
    orderBy: { recordedAt: 'desc' },
    select: { id: true },
  })
  return newest && group.metadata.annotations?.[DECISION] !== newest.id ? null : digest
}

const WATCHED = {
  ...{ watched: true, watchTrouble: true },
  cluster: { select: { watchSince: true, watchPoolsOnly: true } },
} as const
interface Watched {
  watched: string | null
  cluster: { watchSince: Date | null; watchPoolsOnly: boolean }
}
const isUnseen = ({ watched, cluster }: Watched, group: KubeObject, digest: string): boolean =>
  cluster.watchSince !== null &&
  (isPool(group) || !cluster.watchPoolsOnly) &&
  watched !== markOf(group.apiVersion, digest)

/** It goes, and is about to be paused, or let be: what it comes to is known then. What could not be paused does go. */
export async function awaitsWatch(clusterId: string, group: KubeObject, digest: string): Promise<boolean> {
  if (isHeld(group)) return false
  const row = await db().group.findUnique({ where: { id: group.metadata.uid, clusterId }, select: WATCHED })
  return row !== null && row.watchTrouble === null && isUnseen(row, group, digest)
}
