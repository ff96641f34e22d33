import { pool } from '../client'
import type { FleetScope } from './fleet'
import { SHOWN } from './shown'

/** In SQL what `isPausedBy` says (paused-here.ts); where nobody knows who wrote the pause, it is taken for that one. */
const STANDS = `NOT EXISTS (SELECT 1 FROM machine_group h WHERE h.id = p.id AND h.cluster_id = p.cluster_id AND h.held IS NOT NULL)
  AND (coalesce(p.paused_by, 'drydock') = 'drydock' OR p.paused_by LIKE 'machine-config-%' AND p.paused_since <= w.recorded_at)`

/**
 * To be put behind `config_pool p`: `w`, the pause that stands, which is the newest word on a pool that is still paused.
 * Another that was written since, from here or elsewhere, takes its place.
 */
export const POOL_REVIEW = `LEFT JOIN LATERAL (
    SELECT a.id, a.action, a.recorded_at, a.review_at, a.review_told_at, a.actor_name FROM skew_action a
    WHERE a.cluster_id = p.cluster_id AND a.kind = 'pool' AND a.target = 'machineconfigpools/' || p.name AND a.state = 'seen'
    ORDER BY a.recorded_at DESC LIMIT 1
  ) w ON p.paused AND w.action = 'pause' AND ${STANDS}`

export interface PoolReviewRow {
  id: string
  name: string
  cluster: string
  actorName: string
  reviewAt: Date
}

/** Pauses that somebody has to look at again, for their date has come. */
export async function poolReviews(scope: FleetScope): Promise<PoolReviewRow[]> {
  const { rows } = await pool().query<PoolReviewRow>(
    `SELECT p.id, p.name, c.name AS cluster, w.actor_name AS "actorName", w.review_at AS "reviewAt"
     FROM config_pool p JOIN management_cluster c ON c.id = p.cluster_id ${POOL_REVIEW}
     WHERE w.review_at <= now() AND ($1::text IS NULL OR c.name = $1)
       AND ($2::text IS NULL OR EXISTS (SELECT 1 FROM workload_cluster x WHERE x.cluster_id = p.cluster_id AND x.name = $2))
     ORDER BY w.review_at, c.name, p.name LIMIT ${SHOWN + 1}`,
    [scope.cluster ?? null, scope.workload ?? null],
  )
  return rows
}
