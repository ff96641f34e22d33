import { ERROR_SEVERITY } from '@/lib/domain/rows'
import { pool } from '../client'
import { CLOSES, FAILS_BESIDES, NEVER_JOINED, RISK } from './boot-image-where'
import { HELD } from './held'
import { SHOWN } from './shown'

export interface WorkloadRow {
  id: string
  clusterId: string
  cluster: string
  name: string
  namespace: string
  provider: string
  version: string | null
  paused: boolean
  phase: string | null
  total: number
  ready: number
  available: number
  outdated: number
  /** What the groups of either role want, whether it is there or not. */
  planeWanted: number
  workersWanted: number
  /** Groups on their way that nothing keeps. */
  rolling: number
  stuck: number
  /** Groups that are held and wait for somebody; those whose change was rejected stay held, and wait for nobody. */
  held: number
  rejected: number
  /** Groups that nothing holds, and whose change waits all the same: at its hook, or at the gate. */
  waits: number
  /** Groups whose change nothing but somebody's own pause keeps: nobody is asked. */
  ownPause: number
  /** Of those held: stopped by themselves. */
  stopped: number
  /** Groups whose change was let go, and that somebody paused themselves in the middle of it. */
  kept: number
  skew: string | null
  /** Boot images keep its updates closed, whatever the verdict. */
  skewCloses: boolean
  skewSentence: string | null
  /** What the operator says of its last pass over machine sets, where that failed and keeps no update closed. */
  passFailed: string | null
}

export interface FleetScope {
  cluster?: string
  workload?: string
}

const PLANES = `('KubeadmControlPlane', 'ControlPlaneMachineSet')`
const SCOPE = `($1::text IS NULL OR c.name = $1) AND ($2::text IS NULL OR w.name = $2)`

/**
 * Workload clusters with their counts, by name; `after` is the last one of the page before. Two namespaces may each have one
 * of a name; OpenShift's own has no namespace.
 */
export async function workloadRows(scope: FleetScope, after: string | null, limit: number): Promise<WorkloadRow[]> {
  const { rows } = await pool().query<WorkloadRow>(
    `WITH page AS (
       SELECT w.*, c.name AS cluster FROM workload_cluster w JOIN management_cluster c ON c.id = w.cluster_id
       WHERE ${SCOPE} AND ($3::text IS NULL OR (w.name || '/' || w.id) > $3) ORDER BY w.name || '/' || w.id LIMIT $4)
     SELECT p.id, p.cluster_id AS "clusterId", p.cluster, p.name, p.namespace, p.provider, p.version, p.paused, p.phase,
            coalesce(m.total, 0) AS total, coalesce(m.ready, 0) AS ready, coalesce(m.available, 0) AS available, coalesce(m.outdated, 0) + coalesce(b.behind, 0) AS outdated,
            coalesce(g.plane, 0) AS "planeWanted", coalesce(g.workers, 0) AS "workersWanted", coalesce(g.rolling, 0) AS rolling, coalesce(g.stuck, 0) AS stuck, coalesce(g.held, 0) - coalesce(g.rejected, 0) AS held, coalesce(g.rejected, 0) AS rejected, coalesce(g.stopped, 0) AS stopped, coalesce(g.waits, 0) AS waits, coalesce(g.own_pause, 0) AS "ownPause", coalesce(g.kept, 0) AS kept, o.verdict AS skew, coalesce(${CLOSES}, false) AS "skewCloses", o.sentence AS "skewSentence", CASE WHEN ${FAILS_BESIDES} THEN o.pass_failed END AS "passFailed"
     FROM page p
     LEFT JOIN LATERAL (
       SELECT sum(n)::int AS total, sum(n) FILTER (WHERE ready)::int AS ready, sum(n) FILTER (WHERE available)::int AS available,
              sum(n) FILTER (WHERE outdated)::int AS outdated
       FROM machine_tally t WHERE t.cluster_id = p.cluster_id AND t.workload_cluster = p.name
         AND p.namespace IN (t.namespace, '')) m ON true
     LEFT JOIN nodes_behind b ON b.cluster_id = p.cluster_id AND b.workload_cluster = p.name AND p.provider = 'openshift'
     LEFT JOIN LATERAL (
       SELECT count(*) FILTER (WHERE rolling_out AND g.held IS NULL AND NOT EXISTS (
                SELECT 1 FROM change ch WHERE ch.cluster_id = g.cluster_id AND ch.group_id = g.id AND ch.state IN ('waiting', 'rejected', 'stuck')))::int AS rolling,
              count(*) FILTER (WHERE EXISTS (
                SELECT 1 FROM change ch WHERE ch.cluster_id = g.cluster_id AND ch.group_id = g.id AND ch.state = 'stuck'))::int AS stuck,
              count(*) FILTER (WHERE ${HELD})::int AS held,
              count(*) FILTER (WHERE ${HELD} AND EXISTS (
                SELECT 1 FROM change ch WHERE ch.cluster_id = g.cluster_id AND ch.group_id = g.id AND ch.state = 'rejected'))::int AS rejected,
              count(*) FILTER (WHERE ${HELD} AND EXISTS (
                SELECT 1 FROM change ch WHERE ch.cluster_id = g.cluster_id AND ch.group_id = g.id AND ch.state = 'waiting'
                  AND ch.stopped_at IS NOT NULL))::int AS stopped,
              count(*) FILTER (WHERE NOT ${HELD} AND EXISTS (
                SELECT 1 FROM change ch WHERE ch.cluster_id = g.cluster_id AND ch.group_id = g.id AND ch.state = 'waiting'
                  AND ch.held_by IN ('gate', 'hook')))::int AS waits,
              count(*) FILTER (WHERE NOT ${HELD} AND EXISTS (
                SELECT 1 FROM change ch WHERE ch.cluster_id = g.cluster_id AND ch.group_id = g.id AND ch.state = 'waiting'
                  AND ch.held_by = 'person'))::int AS own_pause,
              count(*) FILTER (WHERE g.paused AND g.held IS NULL AND EXISTS (
                SELECT 1 FROM change ch WHERE ch.cluster_id = g.cluster_id AND ch.group_id = g.id AND ch.state IN ('approved', 'running')))::int AS kept,
              sum(desired_replicas) FILTER (WHERE kind IN ${PLANES})::int AS plane,
              sum(desired_replicas) FILTER (WHERE kind NOT IN ${PLANES} AND kind NOT IN ('MachinePool', 'MachineConfigPool'))::int AS workers
       FROM machine_group g WHERE g.cluster_id = p.cluster_id AND g.workload_cluster = p.name
         AND p.namespace IN (g.namespace, '')) g ON true
     LEFT JOIN openshift_cluster o ON o.cluster_id = p.cluster_id AND p.provider = 'openshift'
     ORDER BY p.name || '/' || p.id`,
    [scope.cluster ?? null, scope.workload ?? null, after, limit],
  )
  return rows
}

export interface Totals {
  workloads: number
  clusters: number
  /** Of those. */
  disconnected: number
  machines: number
}

export async function fleetTotals(scope: FleetScope): Promise<Totals> {
  const { rows } = await pool().query<Totals>(
    `SELECT (SELECT count(*)::int FROM workload_cluster w JOIN management_cluster c ON c.id = w.cluster_id WHERE ${SCOPE}) AS workloads,
            (SELECT count(*)::int FROM management_cluster c WHERE $1::text IS NULL OR c.name = $1) AS clusters,
            (SELECT count(*)::int FROM management_cluster c WHERE c.state = 'disconnected' AND ($1::text IS NULL OR c.name = $1)) AS disconnected,
            (SELECT coalesce(sum(n), 0)::int FROM machine_tally t WHERE ($1::text IS NULL OR t.cluster_id IN (SELECT id FROM management_cluster WHERE name = $1))
               AND ($2::text IS NULL OR t.workload_cluster = $2)) AS machines`,
    [scope.cluster ?? null, scope.workload ?? null],
  )
  return rows[0]!
}

export interface FailedRow {
  cluster: string
  workload: string
  n: number
  /** Beside those: which a pool says, or its change. */
  told: number
  id: string
  name: string
  sentence: string | null
  error: string | null
  /** Those whose instance is there and that have no node, up to as many as are looked at. */
  joining: string[]
}

/**
 * One whose node its machine config daemon says is degraded, by that alone (80: lib/providers/openshift/life.ts), and its pool for
 * that: the pool, or the change that is stuck on it, says so.
 */
const SAID_BY_POOL = `m.severity = 80 AND EXISTS (SELECT 1 FROM config_node k JOIN config_pool q ON q.cluster_id = k.cluster_id AND q.name = k.pool
             WHERE k.cluster_id = m.cluster_id AND k.name = m.node AND k.phase = 'degraded' AND q.state = 'degraded')`

/** Machines that will not come back by themselves, one row a workload cluster. */
export async function failedMachines(scope: FleetScope): Promise<FailedRow[]> {
  const { rows } = await pool().query<FailedRow>(
    `SELECT c.name AS cluster, w.name AS workload, count(*) FILTER (WHERE NOT w.told)::int AS n, count(*) FILTER (WHERE w.told)::int AS told,
            (array_agg(w.id ORDER BY w.told, w.machine))[1] AS id, min(w.machine) FILTER (WHERE NOT w.told) AS name,
            (array_agg(w.sentence ORDER BY w.told, w.machine))[1] AS sentence,
            (array_agg(coalesce(w.trouble_words, w.error) ORDER BY w.told, w.machine))[1] AS error,
            coalesce((array_agg(w.id ORDER BY w.machine) FILTER (WHERE w.joining AND NOT w.told))[1:50], '{}') AS joining
     FROM (SELECT m.id, m.cluster_id, m.workload_cluster AS name, m.name AS machine, m.sentence, m.error, m.trouble_words,
             m.provisioned_since IS NOT NULL AS joining, ${SAID_BY_POOL} AS told FROM machine m
           WHERE -m.severity <= -80 AND m.state = 'failed') w
     JOIN management_cluster c ON c.id = w.cluster_id WHERE ${SCOPE} GROUP BY 1, 2 HAVING NOT bool_and(w.told)
     ORDER BY 3 DESC, 1, 2 LIMIT ${SHOWN + 1}`,
    [scope.cluster ?? null, scope.workload ?? null],
  )
  return rows
}

export interface HangingRow {
  cluster: string
  workload: string
  group: string
  n: number
  id: string
  name: string
  error: string
  held: boolean
  /** A change began with them; else something else deletes them. */
  begun: boolean
}

/**
 * A change was at it, and not only somebody who deleted a machine that was to be updated where it stands, and was not approved
 * replacing. As the planner has it (worker/planner/stuck.ts).
 */
const OF_ITS_CHANGE = `p.started_at IS NOT NULL AND p.finished_at IS NULL AND of.state NOT IN ('done', 'reverted')
       AND (p.predicted IS DISTINCT FROM 'in-place' OR p.deleting_at IS NULL OR p.deleting_at > p.started_at
         OR EXISTS (SELECT 1 FROM decision d WHERE d.change_id = of.id AND d.mode = 'replace' AND d.accepted_at IS NOT NULL))`

/**
 * Machines that hang in what they had begun, one row a group, where no change says that it is stuck: held in the middle of it,
 * or wanted otherwise since, a group's machines hang all the same.
 */
export async function hangingMachines(scope: FleetScope): Promise<HangingRow[]> {
  const { rows } = await pool().query<HangingRow>(
    `SELECT c.name AS cluster, m.workload_cluster AS workload, g.name AS "group", g.held IS NOT NULL AS held, count(*)::int AS n,
            (array_agg(m.id ORDER BY m.name))[1] AS id, min(m.name) AS name,
            (array_agg(coalesce(m.trouble_words, m.error) ORDER BY m.name))[1] AS error, b.begun
     FROM machine m JOIN management_cluster c ON c.id = m.cluster_id
     JOIN machine_group g ON g.cluster_id = m.cluster_id AND g.kind = m.group_kind AND g.namespace = m.namespace AND g.name = m.group_name
     CROSS JOIN LATERAL (SELECT m.updating OR EXISTS (SELECT 1 FROM machine_progress p JOIN change of ON of.id = p.change_id
       WHERE p.machine_id = m.id AND of.group_id = g.id AND ${OF_ITS_CHANGE}) AS begun) b
     WHERE -m.severity <= -${ERROR_SEVERITY} AND m.state <> 'failed' AND m.error IS NOT NULL AND (m.deleting OR m.updating)
       AND ($1::text IS NULL OR c.name = $1) AND ($2::text IS NULL OR m.workload_cluster = $2)
       AND EXISTS (SELECT 1 FROM change ch WHERE ch.cluster_id = g.cluster_id AND ch.group_id = g.id
         AND (ch.state IN ('waiting', 'rejected', 'approved', 'running') OR ch.state = 'stuck' AND ch.stopped_at IS NOT NULL))
     GROUP BY c.name, m.workload_cluster, g.id, g.name, g.held, b.begun ORDER BY 1, 2, 3 LIMIT ${SHOWN + 1}`,
    [scope.cluster ?? null, scope.workload ?? null],
  )
  return rows
}

export interface SkewRow {
  clusterId: string
  cluster: string
  sentence: string
  blocks: string | null
  /** What the operator says of its last pass, where that is what closes updates. */
  passFailed: string | null
}

/** Clusters whose boot images keep their updates closed, in the order of the list of clusters. */
export async function clustersOutsideSkew(scope: FleetScope): Promise<SkewRow[]> {
  const { rows } = await pool().query<SkewRow>(
    `SELECT o.cluster_id AS "clusterId", c.name AS cluster, o.sentence, o.blocks,
            CASE WHEN o.verdict = 'update-failing' THEN o.pass_failed END AS "passFailed"
     FROM openshift_cluster o JOIN management_cluster c ON c.id = o.cluster_id
     LEFT JOIN (${NEVER_JOINED}) never ON never.cluster_id = c.id
     WHERE ${CLOSES} AND ($1::text IS NULL OR c.name = $1)
     ORDER BY ${RISK} DESC, c.name LIMIT ${SHOWN + 1}`,
    [scope.cluster ?? null],
  )
  return rows
}

export interface UnheardRow {
  clusterId: string
  cluster: string
  sentence: string
  blocks: string | null
  since: Date | null
}

/** Clusters that are connected, and of which nothing is heard any more that their boot images are told by. */
export async function unheardImages(scope: FleetScope): Promise<UnheardRow[]> {
  const { rows } = await pool().query<UnheardRow>(
    `SELECT o.cluster_id AS "clusterId", c.name AS cluster, o.blocks, o.unheard_since AS since,
            CASE WHEN starts_with(o.sentence, o.unheard_why) THEN o.sentence ELSE o.unheard_why END AS sentence
     FROM openshift_cluster o JOIN management_cluster c ON c.id = o.cluster_id
     WHERE o.unheard_why IS NOT NULL AND c.state = 'connected' AND ($1::text IS NULL OR c.name = $1)
     ORDER BY c.name LIMIT ${SHOWN + 1}`,
    [scope.cluster ?? null],
  )
  return rows
}

export interface FailingRow {
  clusterId: string
  cluster: string
  /** One of them is there. */
  passFailed: string | null
  passStuck: string | null
  /** "worker-a: …": a managed set on which the operator's process ends, and why. */
  endsOn: string | null
}

/** Clusters whose operator fails to update boot images, or stands still over it, where that keeps no update closed. */
export async function failingPasses(scope: FleetScope): Promise<FailingRow[]> {
  const { rows } = await pool().query<FailingRow>(
    `SELECT o.cluster_id AS "clusterId", c.name AS cluster, o.pass_failed AS "passFailed", o.pass_stuck AS "passStuck",
            (SELECT CASE s.kind WHEN 'MachineSet' THEN s.name ELSE 'The control plane’s set' END || ': ' || s.reason FROM boot_image_set s WHERE s.cluster_id = o.cluster_id AND s.managed AND s.outcome = 'crash'
             ORDER BY s.name LIMIT 1) AS "endsOn"
     FROM openshift_cluster o JOIN management_cluster c ON c.id = o.cluster_id
     WHERE ${FAILS_BESIDES} AND ($1::text IS NULL OR c.name = $1) ORDER BY c.name LIMIT ${SHOWN + 1}`,
    [scope.cluster ?? null],
  )
  return rows
}

/** When something last needed a person: the newest decision. */
export async function lastDecision(): Promise<{ at: string; who: string; group: string } | null> {
  const { rows } = await pool().query<{ at: Date; who: string; group: string }>(
    `SELECT d.recorded_at AS at, d.actor_name AS who, ch.group_name AS "group" FROM decision d JOIN change ch ON ch.id = d.change_id
     ORDER BY d.recorded_at DESC LIMIT 1`,
  )
  return rows[0] ? { ...rows[0], at: rows[0].at.toISOString() } : null
}
