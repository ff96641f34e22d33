import { pool } from '@/lib/db/client'
import { isUpgrade } from '@/lib/domain/holds'
import { minorOf } from '@/lib/domain/version'
import { NOTHING_WRITTEN } from '../audit/not-written'
import { GROWS, NOT_BEGUN } from '../scaling/growing'
import type { Scaling } from '../scaling/scaling'
import type { ChangeDto } from './change-row'

type Change = Pick<ChangeDto, 'id' | 'groupKind' | 'fromVersion' | 'toVersion'>

/** Of a held worker group whose policy lets it scale: what was carried through; null: nothing had to be by now. */
export interface WorkerScaling {
  policy: string
  carried: Scaling | null
  /** How many machines the group is to have, and has. */
  wanted: number
  has: number
}

/** Of a control plane whose higher version waits: worker groups of its cluster get no machines, unless somebody lets them. */
export interface WaitingWorkers {
  /** Groups that want more machines than they have, and how many more. */
  groups: number
  missing: number
  by: string | null
  at: string | null
  /** Why the checks of some machine sets are not skipped, or nobody knows, with the API server's words. */
  trouble: string | null
}

/** The change of its control plane that keeps a worker group from getting machines. */
export interface Blocking {
  changeId: string
  name: string
  version: string
  /** Some of it has that version: nobody can let workers grow any more before the rest has. */
  begun: boolean
  /** Somebody rejected it, and Drydock holds it. */
  rejected: boolean
  /** Letting worker groups grow there would get it the machines that it needs: they are of the minor version which that has. */
  helps: boolean
  /** It gets the version of their managed Cluster first, and the group only after it. Absent: the group has it, and needs machines. */
  first?: true
}

/** Which machines are asked about: those that it gets as it stands, or those that it needs once it is let go. */
type When = 'now' | 'let go'

/** Of change c: the worker groups of its cluster that want more machines than they have, and how many more. */
const WANTING = `SELECT d.id, d.desired_replicas - n.has AS missing FROM machine_group d
  CROSS JOIN LATERAL (SELECT count(*)::int AS has FROM machine m WHERE NOT m.deleting AND m.cluster_id = d.cluster_id
    AND m.workload_cluster = d.workload_cluster AND m.namespace = d.namespace AND m.group_kind = d.kind AND m.group_name = d.name) n
  WHERE d.cluster_id = c.cluster_id AND d.workload_cluster = c.workload_cluster AND d.namespace = c.namespace
    AND d.kind = 'MachineDeployment' AND d.desired_replicas > n.has`
const COUNTED = 'count(w.id)::int AS groups, coalesce(sum(w.missing), 0)::int AS missing'

const WORKERS = `
SELECT grow.by, grow.at, ${COUNTED}, max(a.trouble) AS trouble
FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
LEFT JOIN LATERAL (SELECT c.workers_grow_by AS by, c.workers_grow_at AS at WHERE ${GROWS}) grow ON true
LEFT JOIN LATERAL (${WANTING}) w ON true
LEFT JOIN LATERAL (SELECT CASE WHEN e.result = 'refused' THEN 'The API server refused that for a machine set: ' || e.answer
    WHEN e.result = 'failed' AND e.answer NOT LIKE '%${NOTHING_WRITTEN}' THEN 'Of a machine set: ' || e.answer END AS trouble FROM audit_event e
  WHERE e.target_kind = 'MachineDeployment' AND e.target_id = w.id::text AND e.action = 'scaling.checks-skipped'
    AND e.at > grow.at ORDER BY e.id DESC LIMIT 1) a ON true
WHERE c.id = $1::uuid AND ${NOT_BEGUN} GROUP BY grow.by, grow.at`

const MISSING = `SELECT ${COUNTED} FROM change c CROSS JOIN LATERAL (${WANTING}) w WHERE c.id = $1::uuid`

/** Of a control plane, also half way: how many workers its cluster is short of. */
export async function missingWorkers({ id }: Pick<Change, 'id'>): Promise<Pick<WaitingWorkers, 'groups' | 'missing'>> {
  const { rows } = await pool().query<Pick<WaitingWorkers, 'groups' | 'missing'>>(MISSING, [id])
  return rows[0]!
}

/** Null: nothing of it keeps workers from getting machines. */
export async function waitingWorkers(change: Change): Promise<WaitingWorkers | null> {
  const versions = { from: change.fromVersion, to: change.toVersion }
  if (change.groupKind !== 'KubeadmControlPlane' || !isUpgrade(versions)) return null
  const { rows } = await pool().query<Omit<WaitingWorkers, 'at'> & { at: Date | null }>(WORKERS, [change.id])
  const [row] = rows
  return row ? { ...row, at: row.at && row.at.toISOString() } : null
}

const BLOCKING = `
SELECT DISTINCT ON (own.id) own.id AS own, c.id AS "changeId", c.group_name AS name, c.to_version AS version, c.from_version AS "from",
  NOT (${NOT_BEGUN}) AS begun, c.state = 'rejected' AS rejected, ${GROWS} AS grows,
  coalesce(CASE WHEN $2 AND own.state IN ('waiting', 'rejected') THEN own.from_version ELSE own.to_version END, w.version) AS makes
FROM change own JOIN machine_group g ON g.cluster_id = own.cluster_id AND g.workload_cluster = own.workload_cluster
  AND g.namespace = own.namespace AND g.kind = 'KubeadmControlPlane' AND g.held IS NOT NULL
JOIN change c ON c.group_id = g.id AND c.cluster_id = g.cluster_id AND c.state IN ('waiting', 'rejected')
LEFT JOIN machine_group w ON w.id = own.group_id AND w.cluster_id = own.cluster_id
WHERE own.id = ANY($1::uuid[]) AND own.group_kind = 'MachineDeployment'
ORDER BY own.id, c.id`

/** Null: no held version of its control plane keeps it from getting machines. */
export async function blockedBy({ id, groupKind }: Change, when: When = 'now'): Promise<Blocking | null> {
  if (groupKind !== 'MachineDeployment') return null
  return (await blockedAmong([id], when)).get(id) ?? null
}

type Found = Omit<Blocking, 'helps'> & { own: string; from: string | null; grows: boolean; makes: string | null }

/** The same of many, with one query: of those that are kept from getting machines. */
export async function blockedAmong(ids: readonly string[], when: When = 'now'): Promise<Map<string, Blocking>> {
  if (ids.length === 0) return new Map()
  const { rows } = await pool().query<Found>(BLOCKING, [ids, when === 'now'])
  return new Map(
    rows.flatMap(({ own, from, grows, makes, ...by }) => {
      const joins = minorOf(from) !== null && minorOf(from) === minorOf(makes)
      if (!isUpgrade({ from, to: by.version }) || (grows && joins)) return []
      return [[own, { ...by, helps: !by.begun && joins }] as const]
    }),
  )
}
