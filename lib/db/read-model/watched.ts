import type { Pool } from 'pg'
import { explain, NEVER_JOINED } from '@/lib/domain/errors'

/** A management cluster that somebody should watch. */
export interface WatchedCluster {
  id: string
  name: string
  /** Changes with the credentials: the client has to be made anew. */
  credentialsAt: string
}

export async function watchedClusters(pool: Pool): Promise<WatchedCluster[]> {
  const { rows } = await pool.query<{ id: string; name: string; at: Date }>(
    `SELECT m.id, m.name, c.updated_at AS at FROM management_cluster m JOIN cluster_credential c ON c.cluster_id = m.id
     WHERE m.state <> 'disconnected'`,
  )
  return rows.map(({ id, name, at }) => ({ id, name, credentialsAt: at.toISOString() }))
}

/** Which groups of a cluster are governed, as far as the projection needs it. */
export interface Governs {
  governs: string
  labelKey: string | null
  labelValue: string | null
}

export async function governedBy(pool: Pool, clusterId: string): Promise<Governs> {
  const { rows } = await pool.query<Governs>(
    'SELECT governs, label_key AS "labelKey", label_value AS "labelValue" FROM policy WHERE cluster_id = $1',
    [clusterId],
  )
  return rows[0] ?? { governs: 'none', labelKey: null, labelValue: null }
}

/** Somebody chose to have pools latched in the same write: then Drydock needs to be allowed that. */
export async function latchesPools(pool: Pool, clusterId: string): Promise<boolean> {
  const chosen = `SELECT 1 FROM policy WHERE cluster_id = $1 AND pools = 'same-write' AND governs <> 'none'`
  return (await pool.query(chosen, [clusterId])).rows.length > 0
}

const NEVER = explain({
  ...{ api: 'cluster.x-k8s.io', infrastructure: null, condition: NEVER_JOINED, reason: null, message: '' },
})

/** Machines whose instance is there but whose node never came say nothing any more: time alone tells. Returns how many. */
export async function markNeverJoined(pool: Pool, clusterId: string, minutes: number): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE machine SET state = 'failed', severity = 90, changed_at = now(),
       sentence = 'Never joined: no node has come for more than ' || $2::int || ' minutes.',
       error = 'No node has joined for more than ' || $2::int || ' minutes.',
       trouble = CASE WHEN trouble IS NULL AND phase = 'Provisioned' THEN $3 ELSE trouble END,
       trouble_words = CASE WHEN trouble IS NULL AND phase = 'Provisioned' THEN $4 ELSE trouble_words END
     WHERE cluster_id = $1 AND state = 'provisioning' AND node IS NULL AND NOT deleting
       AND created_at < now() - make_interval(mins => $2::int)`,
    [clusterId, minutes, NEVER?.entry.id, NEVER?.words],
  )
  return rowCount ?? 0
}
