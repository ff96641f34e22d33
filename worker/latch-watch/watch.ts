import { db, pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Governs } from '@/lib/db/read-model/watched'
import { owned } from '../planner/common'
import type { ClusterView } from '../types'

/** That Drydock itself is the latch of a cluster: since when, and for which groups. */
export interface Watch {
  since: Date
  governs: Governs
}

const WATCH = `
SELECT c.watch_since AS since, coalesce(p.governs, 'none') AS governs, p.label_key AS "labelKey", p.label_value AS "labelValue"
FROM management_cluster c LEFT JOIN policy p ON p.cluster_id = c.id
WHERE c.id = $1 AND c.watch_since IS NOT NULL AND c.state <> 'disconnected'`

/** Null where the API server holds by itself, or nothing is held. */
export async function watchOf(clusterId: string): Promise<Watch | null> {
  const { rows } = await pool().query<{ since: Date } & Governs>(WATCH, [clusterId])
  const [row] = rows
  if (!row) return null
  const { since, ...governs } = row
  return { since, governs }
}

/** What is known of a group that is watched. */
export interface Known {
  id: string
  watched: string | null
  watchedDecision: string | null
  letGo: string | null
  trouble: string | null
}

const KNOWN = `
SELECT id, watched, watched_decision AS "watchedDecision", let_go AS "letGo", watch_trouble AS trouble
FROM machine_group WHERE cluster_id = $1 AND id = ANY($2::uuid[])`

export async function knownOf(clusterId: string, ids: string[]): Promise<Map<string, Known>> {
  const { rows } = await pool().query<Known>(KNOWN, [clusterId, ids])
  return new Map(rows.map((row) => [row.id, row]))
}

/** With the newest decision by now: what is approved later lets something else be, and that one no longer. */
const KEEP = `
UPDATE machine_group g SET watched = w.mark, watch_trouble = NULL, watched_decision = (
  SELECT d.id FROM decision d JOIN change c ON c.id = d.change_id
  WHERE c.group_id = g.id AND (d.accepted_at IS NOT NULL OR d.sent_at IS NOT NULL) ORDER BY d.recorded_at DESC LIMIT 1)
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
    const other = trouble === null ? { not: null } : { not: trouble }
    const where = {
      id,
      clusterId,
      OR: [{ watchTrouble: other }, ...(trouble === null ? [] : [{ watchTrouble: null }])],
    }
    const { count } = await tx.group.updateMany({ where, data: { watchTrouble: trouble } })
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
