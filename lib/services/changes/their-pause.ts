import { db, pool, type Tx } from '@/lib/db/client'
import { POOL } from '@/lib/domain/latch/hold'
import type { TheirPause } from '@/lib/domain/their-pause'
import { OPEN_SQL } from './states'

const ITS_CLUSTER = `FROM workload_cluster w WHERE w.cluster_id = c.cluster_id AND w.namespace = c.namespace AND w.name = c.workload_cluster AND w.paused`

/** In SQL, of change c: somebody paused its Cluster, and nothing that is of that is reconciled. */
export const CLUSTER_PAUSED = `EXISTS (SELECT 1 ${ITS_CLUSTER})`
export const CLUSTER_PAUSED_SEEN = `(SELECT w.paused_seen_at ${ITS_CLUSTER})`

/** In SQL, of change c: its whole Cluster was paused at some time in this span, for all of it or a part. */
export const wasPaused = (from: string, to: string): string =>
  `EXISTS (SELECT 1 FROM cluster_pause k WHERE k.cluster_id = c.cluster_id AND k.namespace = c.namespace AND k.name = c.workload_cluster
    AND k.since < ${to} AND coalesce(k.until, 'infinity') > ${from})`

/** In SQL, of change c and its group g, as `TheirPause`; null: neither is paused by somebody. */
export const THEIR_PAUSE = `(CASE WHEN g.paused AND ${CLUSTER_PAUSED} THEN 'both' WHEN g.paused THEN 'group' WHEN ${CLUSTER_PAUSED} THEN 'cluster' END)`

const ITS_NODES = `FROM machine_progress p JOIN config_node n ON n.id = p.machine_id WHERE p.change_id = c.id`

/** The same, where it keeps anything: a pause of a pool stops no node that has begun, and after the last one nothing of the change. */
export const KEPT_BY = `(CASE WHEN c.group_kind = '${POOL}' AND c.state IN ('approved', 'running', 'stuck')
  AND EXISTS (SELECT 1 ${ITS_NODES}) AND NOT EXISTS (SELECT 1 ${ITS_NODES} AND p.state = 'waiting') THEN NULL ELSE ${THEIR_PAUSE} END)`

/** Those of these changes, where they are not over, that are kept because somebody paused the group or the Cluster themselves. */
export async function pausedByOthers(ids: readonly string[], tx: Tx = db()): Promise<Map<string, TheirPause>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.$queryRawUnsafe<{ id: string; theirs: TheirPause }[]>(
    `SELECT id, theirs FROM (
       SELECT c.id, ${KEPT_BY} AS theirs FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
       WHERE c.id = ANY($1::uuid[]) AND c.state IN (${OPEN_SQL})) p WHERE theirs IS NOT NULL`,
    ids,
  )
  return new Map(rows.map(({ id, theirs }) => [id, theirs]))
}

/** As long as that, without a movement, a rollout is called stuck. */
const LONG = `interval '20 minutes'`
const MOST = 100

/** What was let go, and somebody's pause of its Cluster has kept for long. It is not stuck by itself, and needs them all the same. `cluster`: of that management cluster alone. */
export async function keptByCluster(cluster?: string): Promise<string[]> {
  const { rows } = await pool().query<{ id: string }>(
    `SELECT c.id FROM change c WHERE c.state IN ('approved', 'running') AND ${CLUSTER_PAUSED_SEEN} < now() - ${LONG}
       AND ($1::text IS NULL OR c.cluster_id = (SELECT id FROM management_cluster WHERE name = $1))
     ORDER BY c.detected_at, c.id LIMIT ${MOST}`,
    [cluster ?? null],
  )
  return rows.map(({ id }) => id)
}
