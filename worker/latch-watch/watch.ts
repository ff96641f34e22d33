import { db, pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Governs } from '@/lib/db/read-model/watched'
import { LIVE, OPEN_SQL } from '@/lib/services/changes/states'
import { owned } from '../planner/common'
import type { ClusterView } from '../types'

/** That Drydock itself is the latch of a cluster: since when, and for which groups. */
export interface Watch {
  since: Date
  /** Beside a latch of Cluster API's groups, which the API server holds by itself. */
  poolsOnly: boolean
  governs: Governs
}

const WATCH = `
SELECT c.watch_since AS since, c.watch_pools_only AS "poolsOnly", l.fence, coalesce(p.governs, 'none') AS governs, p.label_key AS "labelKey", p.label_value AS "labelValue"
FROM management_cluster c LEFT JOIN policy p ON p.cluster_id = c.id LEFT JOIN cluster_lease l ON l.cluster_id = c.id
WHERE c.id = $1 AND c.watch_since IS NOT NULL AND c.state <> 'disconnected'`

/** Of all management clusters, whichever are watched: one question for all that this process follows, each half second at most. */
let asked: { at: number; ids: Promise<Set<string>> } | null = null
const KEPT_MS = 500

/** Mostly not: then nothing else is asked, however many clusters there are. */
export async function isWatched(clusterId: string): Promise<boolean> {
  if (!asked || Date.now() - asked.at > KEPT_MS) {
    const ids = pool()
      .query<{ id: string }>('SELECT id FROM management_cluster WHERE watch_since IS NOT NULL')
      .then(({ rows }) => new Set(rows.map(({ id }) => id)))
    asked = { at: Date.now(), ids }
    ids.catch(() => (asked = null))
  }
  return (await asked.ids).has(clusterId)
}

/** Null where the API server holds by itself, or nothing is held. Only whoever owns the cluster is told. */
export async function watchOf({ clusterId, fence }: Pick<ClusterView, 'clusterId' | 'fence'>): Promise<Watch | null> {
  const { rows } = await pool().query<{ since: Date; poolsOnly: boolean; fence: string | null } & Governs>(WATCH, [
    clusterId,
  ])
  const [row] = rows
  if (!row) return null
  const { since, poolsOnly, fence: owner, ...governs } = row
  if (owner !== null && BigInt(owner) !== fence) throw new Error('Another worker owns this management cluster now.')
  return { since, poolsOnly, governs }
}

/** What is known of a group that is watched. */
export interface Known {
  id: string
  watched: string | null
  letGo: string | null
  trouble: string | null
  /** Of the newest decision that was sent, where that is in force, and newer than what the watch last let be; null: there is none. */
  approved: string | null
  /** It was never looked at, and a change of it waits that is on record as held. */
  waits: boolean
}

const LIVE_SQL = LIVE.map((state) => `'${state}'`).join(', ')
const KNOWN = `
SELECT g.id, g.watched, g.let_go AS "letGo", g.watch_trouble AS trouble,
  g.watched IS NULL AND EXISTS (SELECT 1 FROM change c WHERE c.cluster_id = g.cluster_id AND c.group_id = g.id
    AND c.state IN ('waiting', 'rejected') AND c.held_by = 'latch') AS waits,
  CASE WHEN d.mode <> 'reject' AND d.speaks AND d.id IS DISTINCT FROM g.watched_decision THEN d.digest END AS approved
FROM machine_group g
LEFT JOIN LATERAL (
  SELECT d.id, d.mode, c.digest, d.state IN (${LIVE_SQL}) AND c.state IN (${OPEN_SQL}) AS speaks FROM decision d JOIN change c ON c.id = d.change_id
  WHERE c.group_id = g.id AND c.cluster_id = g.cluster_id AND (d.accepted_at IS NOT NULL OR d.sent_at IS NOT NULL) ORDER BY d.recorded_at DESC LIMIT 1) AS d ON true
WHERE g.cluster_id = $1 AND g.id = ANY($2::uuid[])`

/** One question: every moment counts. */
export async function knownOf(clusterId: string, ids: string[]): Promise<Map<string, Known>> {
  if (ids.length === 0) return new Map()
  const { rows } = await pool().query<Known>(KNOWN, [clusterId, ids])
  return new Map(rows.map((row) => [row.id, row]))
}

/** With the newest decision by now: what is approved later lets something else be, and that one no longer. */
const KEEP = `
UPDATE machine_group g SET watched = w.mark, watch_trouble = NULL, watched_decision = (
  SELECT d.id FROM decision d JOIN change c ON c.id = d.change_id
  WHERE c.group_id = g.id AND c.cluster_id = g.cluster_id AND (d.accepted_at IS NOT NULL OR d.sent_at IS NOT NULL) ORDER BY d.recorded_at DESC LIMIT 1)
FROM jsonb_to_recordset($2::jsonb) AS w(id uuid, mark text)
WHERE g.id = w.id AND g.cluster_id = $1::uuid`

/** What these groups want now is what they may be from here on. */
export async function letBe(view: ClusterView, groups: { id: string; mark: string }[]): Promise<void> {
  if (groups.length === 0) return
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    await tx.$executeRawUnsafe(KEEP, view.clusterId, JSON.stringify(groups))
  })
}

/** Why a group that is to be paused is not; null: it is, or is not to be any more. Everybody hears of it. */
export async function writeTrouble(view: ClusterView, id: string, trouble: string | null): Promise<void> {
  const { clusterId } = view
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    const { count } = await tx.group.updateMany({ where: { id, clusterId }, data: { watchTrouble: trouble } })
    if (count === 0) return
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await announce(tx, { topic: 'groups', cluster: clusterId, ids: [id] })
  })
}

const STALE_MS = 30_000

/** Its owner has looked at every group by now: what changes is seen. Said again and again, so that whatever hangs shows. */
export async function writeLooked(view: ClusterView, { since }: Watch): Promise<void> {
  const { clusterId, fence } = view
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    const where = { id: clusterId, watchSince: since }
    const before = await tx.managementCluster.findFirst({ where, select: { watchFence: true, watchLookedAt: true } })
    if (!before) return
    const now = new Date()
    await tx.managementCluster.updateMany({ where, data: { watchFence: fence, watchLookedAt: now } })
    const fresh = before.watchLookedAt && now.getTime() - before.watchLookedAt.getTime() < STALE_MS
    if (before.watchFence !== fence || !fresh) await announce(tx, { topic: 'clusters', cluster: clusterId })
  })
}
