import { pool } from '../client'
import { countable, keysetAfter, orderBy, whereOf, type MachineQuery } from './machine-where'

export interface MachineListRow {
  id: string
  name: string
  namespace: string
  clusterId: string
  cluster: string
  workload: string
  groupKind: string | null
  groupName: string | null
  node: string | null
  version: string | null
  phase: string
  state: string
  severity: number
  sentence: string
  verdict: string
  verdictReason: string | null
  bootImage: string | null
  error: string | null
  /** The same in words of the catalogue of errors, where it is known. */
  troubleWords: string | null
  createdAt: string
  /** What the keyset continues after. */
  sortKey: string
}

const COLUMNS = `m.id, m.name, m.namespace, m.cluster_id AS "clusterId", c.name AS cluster, m.workload_cluster AS workload,
  m.group_kind AS "groupKind", m.group_name AS "groupName", m.node, m.version, m.phase, m.state, m.severity, m.sentence, m.verdict,
  m.verdict_reason AS "verdictReason", m.boot_image AS "bootImage", m.error,
  m.trouble_words AS "troubleWords", m.created_at AS "createdAt"`

/**
 * Up to so many machines are found first and sorted then; of more, a page is full soon when the list is read in its order.
 * Left to itself, Postgres takes the second way for the few as well: it knows nothing of how names and clusters go together.
 */
const FEW = 1_500

/** One page. `found`: how many machines the filter lets through, where that is known already. */
export async function machinePage(query: MachineQuery, limit: number, found?: number): Promise<MachineListRow[]> {
  if (found === 0) return []
  const values: unknown[] = []
  const few = found !== undefined && found <= FEW
  const from = !few ? 'machine m' : countable(query) ? byKinds(query, values) : byFilter(query, values)
  const where = `${few && !countable(query) ? 'true' : whereOf(query, values, 'machine')} AND ${keysetAfter(query, values)}`
  const order = orderBy(query)
  values.push(limit)
  const { rows } = await pool().query<Omit<MachineListRow, 'createdAt'> & { createdAt: Date }>(
    `SELECT ${COLUMNS}, (${order.key})::text AS "sortKey" FROM ${from} JOIN management_cluster c ON c.id = m.cluster_id
     WHERE ${where} ORDER BY ${order.sql} LIMIT $${values.length}`,
    values,
  )
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
}

/** OFFSET 0: all that the filter lets through, by whichever index finds them best, before any order. */
const byFilter = (query: MachineQuery, values: unknown[]) =>
  `(SELECT * FROM machine m WHERE ${whereOf(query, values, 'machine')} OFFSET 0) m`

/** The machines of the kinds that the filter lets through, by machine_class_idx. OFFSET 0: one kind after another. */
const byKinds = (query: MachineQuery, values: unknown[]) => `(
  SELECT DISTINCT m.cluster_id, m.workload_cluster, m.control_plane, m.state, m.phase, m.verdict, m.version_key, m.failure_domain, m.error
  FROM machine_tally m WHERE ${whereOf(query, values, 'tally')}) k
  CROSS JOIN LATERAL (
    SELECT * FROM machine x WHERE x.cluster_id = k.cluster_id AND x.workload_cluster = k.workload_cluster
      AND x.control_plane = k.control_plane AND x.state = k.state AND x.phase = k.phase AND x.verdict = k.verdict
      AND coalesce(x.version_key, '') = k.version_key AND coalesce(x.failure_domain, '') = k.failure_domain
      AND (x.error IS NOT NULL) = k.error OFFSET 0) m`

export interface FacetRow {
  cluster: string
  workload: string
  phase: string
  verdict: string
  state: string
  n: number
}

/** How many there are by every facet at once: a few hundred rows whatever the size of the fleet. */
export async function machineFacets(query: MachineQuery): Promise<FacetRow[]> {
  const values: unknown[] = []
  const counts = countable(query)
    ? `sum(m.n)::int AS n FROM machine_tally m WHERE ${whereOf(query, values, 'tally')}`
    : `count(*)::int AS n FROM machine m WHERE ${whereOf(query, values, 'machine')}`
  const { rows } = await pool().query<FacetRow>(
    `SELECT c.name AS cluster, g.workload, g.phase, g.verdict, g.state, g.n FROM (
       SELECT m.cluster_id, m.workload_cluster AS workload, m.phase, m.verdict, m.state, ${counts} GROUP BY 1, 2, 3, 4, 5) g
     JOIN management_cluster c ON c.id = g.cluster_id WHERE g.n <> 0`,
    values,
  )
  return rows
}
