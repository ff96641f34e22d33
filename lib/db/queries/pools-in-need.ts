import { SOON_DAYS } from '@/lib/domain/pools/certificates'
import type { Condition } from '@/lib/domain/skew/types'
import { pool } from '../client'
import type { FleetScope } from './fleet'
import { POOL_SEVERITY } from './pool-severity'
import { SHOWN } from './shown'

export interface PoolInNeed {
  id: string
  clusterId: string
  name: string
  cluster: string
  degraded: boolean
  paused: boolean
  sentence: string
  certExpiry: Date | null
  /** Nodes that are longer in one step than they should be, and what one of them says. */
  stuck: number
  example: string | null
  /** Since when that node is at it, or the pool is paused. */
  since: Date | null
  conditions: Condition[]
  /** Its cluster, to another release; null: not known. */
  clusterUpdating: boolean | null
}

/** Where no certificate is named, one may be rotated at any time: a pool that is paused for so long is looked at. */
const UNKNOWN_DAYS = 30

/** Pools that do not go on without a person: degraded, with a node that is stuck, or paused over a rotation of certificates. */
export async function poolsInNeed(scope: FleetScope): Promise<PoolInNeed[]> {
  const { rows } = await pool().query<PoolInNeed>(
    `SELECT p.id, p.cluster_id AS "clusterId", p.name, c.name AS cluster, p.state = 'degraded' AS degraded, p.paused, p.sentence, p.cert_expiry AS "certExpiry",
       coalesce(s.n, 0) AS stuck, s.example, p.conditions, p.cluster_updating AS "clusterUpdating",
       coalesce(s.since, CASE WHEN p.state <> 'degraded' THEN p.paused_since END) AS since
     FROM config_pool p JOIN management_cluster c ON c.id = p.cluster_id
     LEFT JOIN LATERAL (
       SELECT count(*)::int AS n, min(n.since) AS since, (array_agg(n.name || ': ' || n.sentence ORDER BY n.severity DESC, n.name))[1] AS example
       FROM config_node n WHERE n.cluster_id = p.cluster_id AND n.pool = p.name AND n.stuck_from <= now()) s ON true
     WHERE ($1::text IS NULL OR c.name = $1)
       AND ($2::text IS NULL OR EXISTS (SELECT 1 FROM workload_cluster w WHERE w.cluster_id = p.cluster_id AND w.name = $2))
       AND (p.state = 'degraded' OR s.n > 0
         OR (p.paused AND p.machines > 0 AND p.cert_expiry < now() + interval '${SOON_DAYS} days')
         OR (p.state = 'behind' AND p.cert_expiry IS NULL AND coalesce(p.paused_since, '-infinity') < now() - interval '${UNKNOWN_DAYS} days'))
     ORDER BY ${POOL_SEVERITY} DESC, c.name, p.name LIMIT ${SHOWN + 1}`,
    [scope.cluster ?? null, scope.workload ?? null],
  )
  return rows
}
