import { db } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { SENT } from './answered'
import { DECISION } from './patch-for'

/** Digest of what a group was last let go with; null where that is not known. */
export async function letGoOf(groupId: string): Promise<string | null> {
  const row = await db().group.findUnique({ where: { id: groupId }, select: { letGo: true } })
  return row?.letGo ?? null
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
  const groupId = group.metadata.uid
  return db().$transaction(async (tx) => {
    // Locked: what a decision that is sent meanwhile makes unknown must not be known again from an older object.
    const [row] = await tx.$queryRaw<{ letGo: string | null; clusterId: string }[]>`
      SELECT let_go AS "letGo", cluster_id AS "clusterId" FROM machine_group WHERE id = ${groupId}::uuid FOR UPDATE`
    if (!row) return false
    const newest = await tx.decision.findFirst({
      where: { change: { groupId, clusterId: row.clusterId }, ...SENT },
      orderBy: { recordedAt: 'desc' },
      select: { id: true },
    })
    const letGo = newest && group.metadata.annotations?.[DECISION] !== newest.id ? null : digest
    if (row.letGo !== letGo) await tx.group.update({ where: { id: groupId }, data: { letGo } })
    return true
  })
}
