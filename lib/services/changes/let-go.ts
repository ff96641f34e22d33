import { db, type Tx } from '@/lib/db/client'
import { isPool } from '@/lib/domain/latch/hold'
import { markOf } from '@/lib/domain/latch/watch'
import type { KubeObject } from '@/lib/kubernetes/types'
import { SENT } from './answered'
import { isHeld } from './hold-of'
import { DECISION } from './patch-for'

/** Digest of what a group was last let go with; null where that is not known. */
export async function letGoOf(groupId: string): Promise<string | null> {
  const row = await db().group.findUnique({ where: { id: groupId }, select: { letGo: true } })
  return row?.letGo ?? null
}

/** Whether somebody approved this desired state of the group, and it was let go so. */
export async function wasApproved(groupId: string, digest: string): Promise<boolean> {
  const where = { change: { groupId, digest }, mode: { not: 'reject' }, acceptedAt: { not: null } }
  return (await db().decision.count({ where })) > 0
}

/** Nothing lets it go by itself until it is known again. Says what it was. */
export async function forgetLetGo(groupId: string): Promise<string | null> {
  const letGo = await letGoOf(groupId)
  if (letGo !== null) await db().group.updateMany({ where: { id: groupId }, data: { letGo: null } })
  return letGo
}

/** Nothing was released after all. */
export async function restoreLetGo(groupId: string, letGo: string | null): Promise<void> {
  if (letGo !== null) await db().group.updateMany({ where: { id: groupId, letGo: null }, data: { letGo } })
}

/**
 * Remembers what a group is let go with: what it may be changed back to without anybody's approval. An object that does
 * not bear the newest decision is an old one, or somebody else wrote over it: then nothing is known. False where the
 * group has no row yet, or where it goes only because Drydock, which is the latch there, has not paused it yet.
 */
export async function keepLetGo(group: KubeObject, digest: string): Promise<boolean> {
  const id = group.metadata.uid
  const row = await db().group.findUnique({ where: { id }, select: { letGo: true, clusterId: true, ...WATCHED } })
  if (!row || isUnseen(row, group, digest)) return false
  if ((await knownOf(db(), group, row.clusterId, digest)) === row.letGo) return true
  return db().$transaction(async (tx) => {
    // Locked: what a decision that is sent meanwhile makes unknown must not be known again from an older object.
    const there = await tx.$queryRaw<unknown[]>`SELECT 1 FROM machine_group WHERE id = ${id}::uuid FOR UPDATE`
    if (there.length === 0) return false
    await tx.group.update({ where: { id }, data: { letGo: await knownOf(tx, group, row.clusterId, digest) } })
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
export async function awaitsWatch(group: KubeObject, digest: string): Promise<boolean> {
  if (isHeld(group)) return false
  const row = await db().group.findUnique({ where: { id: group.metadata.uid }, select: WATCHED })
  return row !== null && row.watchTrouble === null && isUnseen(row, group, digest)
}
