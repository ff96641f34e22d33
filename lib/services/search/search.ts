import * as z from 'zod'
import { pool } from '@/lib/db/client'
import { literal } from '@/lib/db/like'
import { TEXT } from '@/lib/db/queries/machine-where'
import { OPEN_SQL } from '../changes/states'
import { parseInput, requirePermission, type Ctx } from '../context'

export interface Found {
  kind: 'machine' | 'group' | 'cluster' | 'change'
  name: string
  where: string
  href: string
}

const Input = z.object({
  q: z.string('Type what to look for.').trim().min(2, 'Type two letters at least.').max(200, 'That is too long.'),
})

/** Machines (by name or node), groups, clusters and open changes whose name holds these letters; names that begin so come first. */
export async function search(ctx: Ctx, input: unknown): Promise<Found[]> {
  requirePermission(ctx, 'fleet:read')
  const letters = literal(parseInput(Input, input).q.toLowerCase())
  const { rows } = await pool().query<Found>(SQL, [`%${letters}%`, `${letters}%`])
  return rows
}

const MACHINE = `SELECT 'machine', m.name, m.workload_cluster, '/machines?machine=' || m.id FROM machine m`

/** Of machines, those after the names that begin so are looked for only where these are too few. */
const SQL = `
  (SELECT 'cluster' AS kind, name, 'management cluster' AS where, '/clusters/' || id AS href FROM management_cluster
   WHERE lower(name) LIKE $1 ORDER BY lower(name) NOT LIKE $2, name LIMIT 4)
  UNION ALL
  (SELECT 'cluster', w.name, c.name, '/?cluster=' || c.name || '&workload=' || w.name FROM workload_cluster w
   JOIN management_cluster c ON c.id = w.cluster_id WHERE w.name LIKE $1 ORDER BY w.name NOT LIKE $2, w.name LIMIT 6)
  UNION ALL
  (SELECT 'change', ch.group_name, ch.summary, '/updates/' || ch.id FROM change ch
   WHERE ch.state IN (${OPEN_SQL}) AND ch.group_name LIKE $1
   ORDER BY ch.group_name NOT LIKE $2, ch.detected_at DESC LIMIT 5)
  UNION ALL
  (SELECT 'group', g.name, g.workload_cluster || ', ' || g.kind,
          '/machines?q=' || replace('group:' || g.name || ' cluster:' || g.workload_cluster, ' ', '%20')
   FROM machine_group g WHERE g.name LIKE $1 ORDER BY g.name NOT LIKE $2, g.name LIMIT 6)
  UNION ALL
  (SELECT * FROM (
    (${MACHINE} WHERE m.name LIKE $2 ORDER BY m.name LIMIT 8)
    UNION ALL
    (${MACHINE} WHERE ${TEXT} LIKE $1 AND (m.name LIKE $1 OR m.node LIKE $1) AND m.name NOT LIKE $2
     ORDER BY m.name LIMIT 8)) f LIMIT 8)`
