import { pool } from '@/lib/db/client'
import { suspendedWords } from '@/lib/domain/holds'
import { STOPPED } from '@/lib/domain/latch/names'
import { whyUnasked, type WhyUnasked } from '@/lib/domain/latch/unasked'
import { POOL } from '@/lib/domain/latch/hold'
import { suspendedPool } from '@/lib/domain/pools/held'
import type { Certificate } from '@/lib/domain/pools/types'
import type { Told } from '@/lib/domain/policies'
import type { OwnPause } from '@/lib/domain/rows'
import { isGroupPaused, type TheirPause } from '@/lib/domain/their-pause'
import type { Scaling } from '../scaling/scaling'
import type { ChangeDto } from './change-row'
import {
  blockedBy,
  missingWorkers,
  waitingWorkers,
  type Blocking,
  type WaitingWorkers,
  type WorkerScaling,
} from './held-scaling'
import { OPEN_SQL } from './states'
import { CLUSTER_PAUSED, CLUSTER_PAUSED_SEEN, KEPT_BY } from './their-pause'

/** Of change c and its group g: held by the latch, by the gate alone, at its hook, or by somebody's own pause of the group. */
const BY_ITSELF = `(g.held IS NOT NULL OR g.paused OR (c.state IN ('waiting', 'rejected') AND c.held_by IN ('gate', 'hook')))`

/** The same, or by somebody's own pause of its Cluster. */
export const IS_HELD = `(c.state IN (${OPEN_SQL}) AND (${BY_ITSELF} OR ${CLUSTER_PAUSED}))`

/**
 * The age is the group's, as its own manager says it: a newer change makes no old hold young. Where it says nothing, what was
 * never let go is as old as the change, and what was as old as the end of that; else it is not known (null). A person's pause is as old as Drydock knows of it, whatever holds the group besides for a
 * shorter time; also that of a Cluster where nothing else holds it.
 * A pool tells the time of its newest write only: its own row keeps the earliest for as long as it stays paused.
 */
export const HELD_SINCE = `coalesce((
  SELECT least(p.paused_since, g.held_since) FROM config_pool p WHERE g.kind = '${POOL}' AND p.id = g.id AND p.cluster_id = g.cluster_id), least(g.held_since, CASE WHEN g.paused THEN g.paused_seen_at END), CASE WHEN ${BY_ITSELF} THEN (
  SELECT CASE WHEN count(*) = 0 THEN c.detected_at ELSE max(voided_at) END FROM decision
  WHERE change_id = c.id AND accepted_at IS NOT NULL AND mode <> 'reject') ELSE ${CLUSTER_PAUSED_SEEN} END)`

const GROUP = `FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id`
const THOSE = `WHERE c.id = ANY($1::uuid[]) AND ${IS_HELD}`

/** Since when those of these changes that are held stand still, by their ids; null: that is not known. */
export async function heldSince(ids: readonly string[]): Promise<Record<string, string | null>> {
  if (ids.length === 0) return {}
  const { rows } = await pool().query<{ id: string; since: Date | null }>(
    `SELECT c.id, ${HELD_SINCE} AS since ${GROUP} ${THOSE}`,
    [ids],
  )
  return Object.fromEntries(rows.map(({ id, since }) => [id, since && since.toISOString()]))
}

/** Those of these changes that were let go in place, and held again because nobody would be asked any more: why. */
export async function unaskedSince(ids: readonly string[]): Promise<Record<string, WhyUnasked>> {
  if (ids.length === 0) return {}
  const { rows } = await pool().query<{ id: string; held: string | null }>(
    `SELECT c.id, g.held ${GROUP} ${THOSE} AND c.state IN ('waiting', 'rejected') AND starts_with(g.held, $2)`,
    [ids, STOPPED],
  )
  return Object.fromEntries(rows.flatMap(({ id, held }) => (whyUnasked(held) ? [[id, whyUnasked(held)!]] : [])))
}

/** Of a group that is held: since when it stands still (null: not known), and what does not happen meanwhile. */
export interface HeldFor {
  since: string | null
  suspended: string[]
  /** What somebody paused themselves, and keeps it, which Drydock never takes away; null: nothing. */
  theirs: TheirPause | null
  /** Where a pause of the group stands; null: there is none, or it is not known. */
  ownPause: OwnPause | null
  /** It goes on growing and shrinking, by its policy; null: it does not. */
  scaling: WorkerScaling | null
  /** What waits keeps worker groups of its cluster from getting machines; null: it does not. */
  workers: WaitingWorkers | null
  /** What waits of its control plane keeps it from getting machines. */
  blockedBy: Blocking | null
}

interface Row {
  since: Date | null
  /** Drydock holds it, and not the gate alone, which suspends nothing. */
  ours: boolean
  theirs: TheirPause | null
  own: OwnPause | null
  /** Of a pause of the group: of the whole object (its manager says so), or by spec.paused alone, with which it goes on scaling. */
  whole: boolean
  wanted: number
  has: number
  ill: string[]
  carried: Scaling | null
  /** Of a pool. */
  certificates: Certificate[] | null
}

const ONE = `
SELECT ${HELD_SINCE} AS since, g.held IS NOT NULL AS ours, ${KEPT_BY} AS theirs, CASE WHEN g.paused THEN g.own_pause END AS own, g.held_since IS NOT NULL AS whole, g.desired_replicas AS wanted, g.scaling AS carried, m.has, m.ill,
  (SELECT certificates FROM config_pool WHERE id = g.id AND machines > 0) AS certificates ${GROUP}
CROSS JOIN LATERAL (
  SELECT count(*)::int AS has, coalesce(array_agg(name ORDER BY name) FILTER (WHERE check_failed_since IS NOT NULL), '{}') AS ill
  FROM machine WHERE NOT deleting AND cluster_id = g.cluster_id AND workload_cluster = g.workload_cluster AND namespace = g.namespace
    AND group_kind = g.kind AND group_name = g.name) AS m ${THOSE}`

/**
 * Of one change, where it is held. What it has is counted: a paused manager writes no numbers. `scales`: what its policies say of
 * scaling; null where nobody knows. `asks`: an approval of it is missing; `opens`: when it may go, where it waits, ISO.
 */
export async function heldFor(
  change: Pick<ChangeDto, 'id' | 'groupKind' | 'fromVersion' | 'toVersion'>,
  scales: Told<boolean> | null = null,
  { asks, waits, opens }: { asks: boolean; waits?: boolean; opens?: string | null } = { asks: true },
): Promise<HeldFor | null> {
  const { rows } = await pool().query<Row>(ONE, [[change.id]])
  const [row] = rows
  if (!row) return null
  const { since, ours, theirs, own, whole, carried, certificates, ...held } = row
  const { groupKind: kind, fromVersion: from, toVersion: to } = change
  if (kind === POOL)
    return {
      since: since && since.toISOString(),
      suspended: suspendedPool(certificates ?? [], Date.now(), { ours, asks, opens, kept: waits && theirs !== null }),
      ...{ theirs, ownPause: own, scaling: null, workers: null, blockedBy: null },
    }
  const { wanted, has } = held
  const scaling =
    ours && scales?.value && kind === 'MachineDeployment'
      ? { policy: scales.policy?.name ?? '', carried, wanted, has }
      : null
  const [workers, blocking] = ours ? await Promise.all([waitingWorkers(change), blockedBy(change)]) : [null, null]
  const about = {
    ...{ kind, ...held, versions: { from, to }, scales: scaling !== null, workersTold: workers !== null },
    ...(workers === null && kind === 'KubeadmControlPlane' ? { workers: await missingWorkers(change) } : {}),
  }
  return {
    since: since && since.toISOString(),
    suspended: ours || (isGroupPaused(theirs) && whole) ? suspendedWords(about) : [],
    ...{ theirs, ownPause: own, scaling, workers, blockedBy: blocking },
  }
}
