import { db, type Tx } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { SENT } from './answered'
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
 * group has no row yet.
 */
export async function keepLetGo(group: KubeObject, digest: string): Promise<boolean> {
  const id = group.metadata.uid
  const row = await db().group.findUnique({ where: { id }, select: { letGo: true, clusterId: true } })
  if (!row) return false
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
