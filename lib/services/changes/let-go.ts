import { db } from '@/lib/db/client'

/** Digest of what a group was last let go with; null where it was never seen but held. */
export async function letGoOf(groupId: string): Promise<string | null> {
  const row = await db().group.findUnique({ where: { id: groupId }, select: { letGo: true } })
  return row?.letGo ?? null
}

/**
 * Remembers what a group is let go with: what it may be changed back to without anybody's approval. False where the
 * group has no row yet.
 */
export async function keepLetGo(groupId: string, digest: string): Promise<boolean> {
  if ((await letGoOf(groupId)) === digest) return true
  const { count } = await db().group.updateMany({ where: { id: groupId }, data: { letGo: digest } })
  return count > 0
}
