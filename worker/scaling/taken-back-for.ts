import { db, pool } from '@/lib/db/client'
import { ownedSql } from '../owned'
import type { ClusterView } from '../types'

interface Row {
  id: string
  takenBackFor: string | null
  /** The newest decision that let it go: one that is not answered yet is accepted once it is seen stored. */
  letGoBy: string | null
}

const ROWS = `
SELECT g.id, g.taken_back_for AS "takenBackFor", (SELECT d.id FROM change c JOIN decision d ON d.change_id = c.id
  WHERE c.group_id = g.id AND c.cluster_id = g.cluster_id AND d.mode <> 'reject' AND d.accepted_at IS NOT NULL
  ORDER BY d.recorded_at DESC LIMIT 1) AS "letGoBy"
FROM machine_group g WHERE g.cluster_id = $1::uuid AND g.id = ANY($2::uuid[])`

/** By the id of a group, of these: for which hold it was looked at, by whatever worker, what its machine sets had not made. */
export async function takenBackFor(view: ClusterView, ids: string[]): Promise<Map<string, Row>> {
  if (ids.length === 0) return new Map()
  const { rows } = await pool().query<Row>(ROWS, [view.clusterId, ids])
  return new Map(rows.map((row) => [row.id, row]))
}

const OWN = `g.cluster_id = $1::uuid AND ${ownedSql('$1::uuid', '$2')}`
const NOTE = `
WITH one AS (SELECT g.id, h.hold FROM machine_group g JOIN unnest($3::uuid[], $4::text[]) AS h(id, hold) ON h.id = g.id
  WHERE ${OWN} ORDER BY g.id FOR UPDATE OF g)
UPDATE machine_group g SET taken_back_for = one.hold FROM one WHERE g.id = one.id`
const FORGET = `
WITH one AS (SELECT g.id FROM machine_group g WHERE g.id = ANY($3::uuid[]) AND g.taken_back_for IS NOT NULL AND ${OWN} ORDER BY g.id FOR UPDATE OF g)
UPDATE machine_group g SET taken_back_for = NULL FROM one WHERE g.id = one.id`

export async function noteTakenBackFor(
  view: ClusterView,
  ends: readonly { id: string; hold: string }[],
): Promise<void> {
  if (ends.length === 0) return
  const columns = [ends.map(({ id }) => id), ends.map(({ hold }) => hold)]
  await db().$executeRawUnsafe(NOTE, view.clusterId, view.fence, ...columns)
}

/** These are held no more: whatever holds them next is another hold. */
export async function forgetTakenBack(view: ClusterView, ids: string[]): Promise<void> {
  if (ids.length > 0) await db().$executeRawUnsafe(FORGET, view.clusterId, view.fence, ids)
}
