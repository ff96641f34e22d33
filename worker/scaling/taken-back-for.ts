import { db } from '@/lib/db/client'
import { ownedSql } from '../owned'
import type { ClusterView } from '../types'

/** By the id of a group, of these: for which hold it was looked at, by whatever worker, what its machine sets had not made. */
export async function takenBackFor(view: ClusterView, ids: string[]): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map()
  const where = { clusterId: view.clusterId, id: { in: ids } }
  const rows = await db().group.findMany({ where, select: { id: true, takenBackFor: true } })
  return new Map(rows.map(({ id, takenBackFor }) => [id, takenBackFor]))
}

const NOTE = `WITH one AS (SELECT g.id, r.hold FROM machine_group g JOIN unnest($3::uuid[], $4::text[]) AS r(id, hold) ON r.id = g.id
  WHERE g.cluster_id = $1::uuid AND ${ownedSql('$1::uuid', '$2')} ORDER BY g.id FOR UPDATE OF g)
UPDATE machine_group g SET taken_back_for = one.hold FROM one WHERE g.id = one.id`

export async function noteTakenBackFor(view: ClusterView, holds: { id: string; hold: string }[]): Promise<void> {
  if (holds.length === 0) return
  const [ids, those] = [holds.map(({ id }) => id), holds.map(({ hold }) => hold)]
  await db().$executeRawUnsafe(NOTE, view.clusterId, view.fence, ids, those)
}
