import { db, type Tx } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { SENT } from '@/lib/services/changes/answered'
import { isUnseen, WATCHED } from '@/lib/services/changes/let-go'
import { DECISION } from '@/lib/services/changes/patch-for'
import { owned, type Owning } from './common'

/**
 * Remembers what a group is let go with: what it may be changed back to without anybody's approval. An object that does
 * not bear the newest decision is an old one, or somebody else wrote over it: then nothing is known. False where the
 * group has no row yet, or where it goes only because Drydock, which is the latch there, has not paused it yet. Throws where
 * another worker owns the cluster by now: what this one has in hand is old.
 */
export async function keepLetGo(view: Owning, group: KubeObject, digest: string): Promise<boolean> {
  const { clusterId } = view
  const id = group.metadata.uid
  const row = await db().group.findUnique({ where: { id, clusterId }, select: { letGo: true, ...WATCHED } })
  if (!row || isUnseen(row, group, digest)) return false
  if ((await knownOf(db(), group, clusterId, digest)) === row.letGo) return true
  return db().$transaction(async (tx) => {
    await owned(tx, view)
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
