import { pool } from '../client'
import { literal } from '../like'
import { SHOWN } from './shown'

export interface UpdatesRow {
  clusterId: string
  name: string
  version: string | null
  desired: string | null
  state: string
  sentence: string
  blockers: number
  gatesWaiting: number
  rank: number
  /** source, item and reason of the first blocker */
  source: string | null
  item: string | null
  reason: string | null
  underway: { version: string } | null
  clusterState: string
  lastHeardAt: Date | null
  unheardWhy: string | null
  unheardSince: Date | null
}

export interface UpdatesFilter {
  /** closed: also what is about to close; gates: where a gate waits for an administrator */
  only: 'closed' | 'gates' | 'open' | 'unknown' | null
  text: string
}

const ONLY = {
  closed: `u.state IN ('closed', 'closing')`,
  gates: `u.gates_waiting > 0`,
  open: `u.state = 'open'`,
  unknown: `u.state = 'unknown'`,
}

/** Clusters by how pressing their updates are, after a place in that order. */
export async function clusterUpdates(
  { only, text }: UpdatesFilter,
  after: { rank: number; name: string } | null,
  limit: number,
): Promise<UpdatesRow[]> {
  const { rows } = await pool().query<UpdatesRow>(
    `SELECT u.cluster_id AS "clusterId", c.name, u.version, u.desired, u.state, u.sentence, u.blockers,
            u.gates_waiting AS "gatesWaiting", u.rank, b.source, b.item, b.reason, u.underway,
            c.state AS "clusterState", c.last_heard_at AS "lastHeardAt", u.unheard_why AS "unheardWhy", u.unheard_since AS "unheardSince"
     FROM cluster_updates u JOIN management_cluster c ON c.id = u.cluster_id
     LEFT JOIN upgrade_blocker b ON b.cluster_id = u.cluster_id AND b.position = 0
     WHERE ($1 = '' OR c.name ILIKE '%' || $1 || '%') AND ${only ? ONLY[only] : 'true'}
       AND ($2::int IS NULL OR (-u.rank, c.name COLLATE "C") > (-$2::int, $3::text COLLATE "C"))
     ORDER BY -u.rank, c.name COLLATE "C" LIMIT $4`,
    [literal(text), after?.rank ?? null, after?.name ?? null, limit],
  )
  return rows
}

export interface UpdatesCounts {
  all: number
  closed: number
  gates: number
  open: number
  unknown: number
}

export async function countUpdates(text: string): Promise<UpdatesCounts> {
  const { rows } = await pool().query<UpdatesCounts>(
    `SELECT count(*)::int AS "all", count(*) FILTER (WHERE ${ONLY.closed})::int AS closed,
            count(*) FILTER (WHERE ${ONLY.gates})::int AS gates, count(*) FILTER (WHERE ${ONLY.open})::int AS open,
            count(*) FILTER (WHERE ${ONLY.unknown})::int AS "unknown"
     FROM cluster_updates u JOIN management_cluster c ON c.id = u.cluster_id
     WHERE $1 = '' OR c.name ILIKE '%' || $1 || '%'`,
    [literal(text)],
  )
  return rows[0]!
}

export interface WaitingGate {
  clusterId: string
  cluster: string
  gates: number
  name: string
  since: Date
}

/** Clusters in which a gate waits for an administrator, the longest first. */
export async function waitingGates(cluster: string | undefined): Promise<WaitingGate[]> {
  const { rows } = await pool().query<WaitingGate>(
    `SELECT g.cluster_id AS "clusterId", c.name AS cluster, count(*)::int AS gates,
            (array_agg(g.name ORDER BY g.first_seen_at, g.name))[1] AS name, min(g.first_seen_at) AS since
     FROM admin_gate g JOIN management_cluster c ON c.id = g.cluster_id
     WHERE g.state = 'waiting' AND ($1::text IS NULL OR c.name = $1)
     GROUP BY 1, 2 ORDER BY since LIMIT ${SHOWN + 1}`,
    [cluster ?? null],
  )
  return rows
}
