import { pool } from '@/lib/db/client'
import { SKEW_WORD, SKEW_WRITTEN } from '@/lib/db/queries/boot-image-where'
import { lostOf, type Lost } from '../openshift/lost'

export interface LostWord extends Lost {
  actorName: string
  action: string
  version: string | null
}

const NEWEST = `SELECT a.actor_name AS "actorName", ${SKEW_WORD} AS action, a.version, a.lost_at AS at, a.lost_by AS by
  FROM skew_action a WHERE a.cluster_id = $1 AND ${SKEW_WRITTEN} AND ${SKEW_WORD} IS NOT NULL
  ORDER BY a.recorded_at DESC LIMIT 1`

/** The newest word on the limit, where somebody wrote over it after it was seen; null: it stands, or there was none. */
export async function lostWord(clusterId: string): Promise<LostWord | null> {
  const { rows } = await pool().query<{ at: Date | null; by: string | null } & Omit<LostWord, keyof Lost>>(NEWEST, [
    clusterId,
  ])
  const [row] = rows
  const lost = lostOf(row?.at, row?.by)
  return row && lost ? { actorName: row.actorName, action: row.action, version: row.version, ...lost } : null
}
