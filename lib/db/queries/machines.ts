import { pool } from '../client'
import { keysetAfter, orderBy, whereOf, type MachineQuery } from './machine-where'

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
  createdAt: string
  /** What the keyset continues after. */
  sortKey: string
}

const COLUMNS = `m.id, m.name, m.namespace, m.cluster_id AS "clusterId", c.name AS cluster, m.workload_cluster AS workload,
  m.group_kind AS "groupKind", m.group_name AS "groupName", m.node, m.version, m.phase, m.state, m.severity, m.sentence, m.verdict,
  m.verdict_reason AS "verdictReason", m.boot_image AS "bootImage", m.error, m.created_at AS "createdAt"`

/** One page. */
export async function machinePage(query: MachineQuery, limit: number): Promise<MachineListRow[]> {
  const values: unknown[] = []
  const where = [whereOf(query, values), keysetAfter(query, values)].filter(Boolean).join(' AND ') || 'true'
  const order = orderBy(query)
  values.push(limit)
  const { rows } = await pool().query<Omit<MachineListRow, 'createdAt'> & { createdAt: Date }>(
    `SELECT ${COLUMNS}, (${order.key})::text AS "sortKey" FROM machine m JOIN management_cluster c ON c.id = m.cluster_id
     WHERE ${where} ORDER BY ${order.sql} LIMIT $${values.length}`,
    values,
  )
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
}

export interface FacetRow {
  cluster: string
  workload: string
  phase: string
  verdict: string
  state: string
  n: number
}

/** How many there are by every facet at once: one pass, a few hundred rows whatever the size of the fleet. */
export async function machineFacets(query: MachineQuery): Promise<FacetRow[]> {
  const values: unknown[] = []
  const where = whereOf(query, values) || 'true'
  const { rows } = await pool().query<FacetRow>(
    `SELECT c.name AS cluster, g.workload, g.phase, g.verdict, g.state, g.n FROM (
       SELECT m.cluster_id, m.workload_cluster AS workload, m.phase, m.verdict, m.state, count(*)::int AS n FROM machine m
       WHERE ${where} GROUP BY 1, 2, 3, 4, 5) g JOIN management_cluster c ON c.id = g.cluster_id`,
    values,
  )
  return rows
}
