import { pool } from '@/lib/db/client'
import type { Effect } from '@/lib/domain/pools/effect'
import type { Durations, Work } from '@/lib/domain/rollout/forecast'
import { wasPaused } from '../changes/their-pause'

/** Whose durations an estimate rests on. */
export interface Basis {
  from: 'group' | 'cluster' | 'guess'
  /** Machines that were measured; a guess may rest on the one or two that there were. */
  machines: number
}

/** Work, and what lies between the end of one machine's and the begin of the next one's. */
export type Timed = Work | 'gap'

export interface Measured {
  durations: Durations
  basis: Record<Timed, Basis>
}

export interface DurationsOf {
  clusterId: string
  groupId: string
  groupKind: string
  /** The change is (also) one of version. */
  version: boolean
  /** Of a pool, what is done to a node, null where that is not known: a reboot takes longer than a file. Absent: it is no pool. */
  does?: Effect | null
}

/** Nothing measured: what such machines take in most clouds, said to be a guess wherever it is shown. */
const GUESS: Record<Timed, number> = { update: 3 * 60_000, create: 6 * 60_000, delete: 2 * 60_000, gap: 10_000 }
/** What a node of a pool takes; of what is not known, as long as a reboot. */
const GUESSED_NODE: Record<Effect, number> = {
  ...{ none: 30_000, services: 60_000 },
  ...{ reload: 3 * 60_000, drain: 4 * 60_000, reboot: 8 * 60_000 },
}
/** Fewer say little about nine of ten. */
const ENOUGH = 3

const WORKS: Record<string, Timed> = { done: 'update', created: 'create', deleted: 'delete', gap: 'gap' }

/** Also a change that waits again, or was taken back in its middle, which has no beginning of its own any more. */
export const HAS_BEGUN = `(change.started_at IS NOT NULL OR EXISTS (
  SELECT 1 FROM machine_progress b WHERE b.change_id = change.id AND b.started_at IS NOT NULL))`

/**
 * What lies further apart was held, stopped or stuck between; what was let go on in its middle, or whose Cluster was paused, may have
 * waited for that, and what failed for whoever mended it: that is marked where a policy asks for it, or somebody accepted it; what an
 * updater said is on record with its call.
 */
const MEASURED = `
WITH p AS (
  SELECT p.change_id, p.state, p.started_at, p.finished_at
  FROM (
    SELECT id, cluster_id, namespace, workload_cluster FROM change
    WHERE cluster_id = $1 AND ($2::uuid IS NULL OR group_id = $2) AND group_kind = $3 AND (to_version IS NOT NULL) = $4
      AND ($5::text IS NULL OR coalesce(outlook #>> '{pool,effect,does}', '') = $5)
      AND ${HAS_BEGUN}
    ORDER BY detected_at DESC LIMIT 20
  ) c
  JOIN machine_progress p ON p.change_id = c.id
  WHERE p.state IN ('done', 'created', 'deleted') AND p.finished_at > p.started_at
    AND (p.state <> 'done' OR NOT EXISTS (
      SELECT 1 FROM decision d WHERE d.change_id = c.id AND d.accepted_at > p.started_at AND d.accepted_at < p.finished_at))
    AND p.failed_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM gate_call g WHERE g.change_id = c.id AND g.machine = p.machine_name AND g.answer = 'failed'
        AND g.last_at > p.started_at AND g.first_at < p.finished_at)
    AND NOT ${wasPaused('p.started_at', 'p.finished_at')}
  ORDER BY p.finished_at DESC LIMIT 600
), events AS (
  SELECT change_id, started_at AS at, true AS begins FROM p UNION ALL SELECT change_id, finished_at, false FROM p
), waits AS (
  SELECT begins, at, max(at) FILTER (WHERE NOT begins) OVER (PARTITION BY change_id ORDER BY at, begins) AS ended FROM events
)
SELECT state, extract(epoch FROM finished_at - started_at) * 1000 AS ms FROM p
UNION ALL
SELECT 'gap', extract(epoch FROM at - ended) * 1000 FROM waits WHERE begins AND at - ended < interval '10 minutes'`

/** How long machines took: of this group where enough were measured, else of its like in the same management cluster. */
export async function measured(of: DurationsOf): Promise<Measured> {
  const own = await query(of, of.groupId)
  const others = Object.values(own).every((list) => list.length >= ENOUGH) ? own : await query(of, null)
  const pick = (work: Timed): { values: number[]; basis: Basis } => {
    if (own[work].length >= ENOUGH) return { values: own[work], basis: { from: 'group', machines: own[work].length } }
    if (others[work].length >= ENOUGH)
      return { values: others[work], basis: { from: 'cluster', machines: others[work].length } }
    // One that was measured here is nearer to it than any other guess.
    if (own[work].length > 0) return { values: own[work], basis: { from: 'guess', machines: own[work].length } }
    const node = of.does === undefined || work !== 'update' ? null : GUESSED_NODE[of.does ?? 'reboot']
    return { values: [node ?? GUESS[work]], basis: { from: 'guess', machines: 0 } }
  }
  const [update, create, remove, gap] = [pick('update'), pick('create'), pick('delete'), pick('gap')]
  return {
    durations: { update: update.values, create: create.values, delete: remove.values, gap: gap.values },
    basis: { update: update.basis, create: create.basis, delete: remove.basis, gap: gap.basis },
  }
}

async function query({ clusterId, groupKind, version, does }: DurationsOf, groupId: string | null) {
  const found: Record<Timed, number[]> = { update: [], create: [], delete: [], gap: [] }
  const { rows } = await pool().query<{ state: string; ms: string }>(MEASURED, [
    ...[clusterId, groupId, groupKind, version],
    does === undefined ? null : (does ?? ''),
  ])
  for (const { state, ms } of rows) {
    const work = WORKS[state]
    if (work) found[work].push(Number(ms))
  }
  return found
}
