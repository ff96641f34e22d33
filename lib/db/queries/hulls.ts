import { countCells, markOf, mergeCounts, type HullCell, type HullCount, type HullData } from '@/lib/domain/hull'
import { pool } from '../client'
import { FAILED_BEFORE } from './failed-before'

interface CountRow {
  owner: string
  state: string | null
  verdict: string | null
  error: boolean
  progress: string | null
  predicted: string | null
  n: number
}
interface CellRow extends Omit<CountRow, 'n'> {
  id: string
  name: string
  note: string | null
}

/** An error in words of the catalogue, else its own. */
const WORDS = `CASE WHEN m.error IS NOT NULL THEN coalesce(m.trouble_words, m.error) END`
/** Through before anything began: the change had nothing to do there. */
const UNTOUCHED = `(p.state = 'done' AND p.started_at IS NULL AND coalesce(p.predicted, 'up-to-date') = 'up-to-date')`
/** It counts as failed by its policy, though it was made, or updated: it was not Ready in time. Who rejects the rest does not accept that. */
const LATE = `(p.state IN ('done', 'created') AND p.failed_at > coalesce(CASE WHEN ch.state <> 'rejected' THEN ch.failures_from END, '-infinity'))`
/** Made, and not Ready in time: where that was accepted nobody waits for it to come up. */
const ACCEPTED = `(p.state = 'created' AND p.failed_at IS NOT NULL AND NOT m.ready AND m.state IN ('provisioning', 'not-ready'))`
/** Updated, and not Ready since, as far as anybody says; or made, and Ready once. */
const AWAY = `((p.state = 'done' AND p.started_at IS NOT NULL AND p.ready_at IS NULL AND NOT m.ready AND m.state <> 'unknown')
  OR (p.state = 'created' AND p.through_at IS NOT NULL AND m.state = 'not-ready'))`
/** What stopped it is shown for as long as it is stopped; what stopped nothing, until it is well. */
const STEP = `CASE WHEN ${UNTOUCHED} THEN NULL WHEN ${LATE} AND (ch.stopped_at IS NOT NULL OR NOT m.ready) THEN 'failed'
  WHEN ${AWAY} OR ${ACCEPTED} OR (coalesce(p.state, 'waiting') = 'waiting' AND ${FAILED_BEFORE}) THEN 'away' ELSE p.state END`
/** Of a change that waits again, what was foretold before that has no say in what it would be. */
const WAY = `CASE WHEN p.state = 'waiting' AND ch.state IN ('waiting', 'rejected') THEN NULL ELSE p.predicted END`
/** Made, and never up, and its change was counted as done all the same: that accepts it, and makes it no better. */
const NEVER = `(ch.state = 'done' AND p.state = 'created' AND p.through_at IS NULL AND p.failed_at IS NOT NULL)`
/** Of a change that is over, what still waited was never touched, whatever had been foretold. */
const RECORDED = `CASE WHEN ${UNTOUCHED} THEN NULL WHEN ${LATE} AND ch.stopped_at IS NOT NULL THEN 'failed'
  WHEN ${NEVER} THEN 'failed' ELSE p.state END`
const ON_RECORD = `CASE WHEN ${UNTOUCHED} THEN 'up-to-date' WHEN p.state = 'waiting' THEN 'untouched' END`
/** It was made, and not ready when its change was over. */
const MADE = `CASE WHEN p.state = 'created' AND p.finished_at IS NULL AND ch.state = 'superseded' THEN 'provisioning' END`
const FORETOLD = `CASE WHEN p.state <> 'waiting' THEN p.predicted END`

/** Machines of each change's group, and those that its rollout made or removed. */
const OF_CHANGES = `
  FROM change ch JOIN machine m ON m.cluster_id = ch.cluster_id AND m.workload_cluster = ch.workload_cluster
    AND m.group_kind = ch.group_kind AND m.group_name = ch.group_name AND m.namespace = ch.namespace
  LEFT JOIN machine_progress p ON p.change_id = ch.id AND p.machine_id = m.id
  WHERE ch.id = ANY($1::uuid[]) AND ch.state NOT IN ('done', 'superseded', 'reverted')`
/** Of a pool, its nodes, as machines are: what a node is at is told by its phase. */
const OF_POOLS = `
  FROM change ch JOIN config_pool cp ON cp.id = ch.group_id AND cp.cluster_id = ch.cluster_id
  JOIN LATERAL (
    SELECT n.id, n.name, n.zone AS failure_domain, NOT n.unavailable AS ready, NULL AS trouble_words,
      CASE WHEN n.phase = 'degraded' THEN 'failed' WHEN n.phase IN ('draining', 'updating', 'rebooting') THEN 'updating' ELSE 'ready' END AS state,
      CASE WHEN n.phase = 'updated' AND n.current_config = cp.desired_config THEN 'up-to-date' ELSE 'in-place' END AS verdict,
      CASE WHEN n.phase = 'degraded' THEN n.sentence END AS error, NULL AS verdict_reason
    FROM config_node n WHERE n.cluster_id = cp.cluster_id AND n.pool = cp.name) m ON true
  LEFT JOIN machine_progress p ON p.change_id = ch.id AND p.machine_id = m.id
  WHERE ch.id = ANY($1::uuid[]) AND ch.state NOT IN ('done', 'superseded', 'reverted')`
const OF_RECORD = `
  FROM machine_progress p JOIN change ch ON ch.id = p.change_id
  WHERE ch.id = ANY($1::uuid[]) AND ch.state IN ('done', 'superseded', 'reverted')`

const LIVE = `SELECT ch.id AS owner, m.state, m.verdict, m.error IS NOT NULL AS error, ${STEP} AS progress, ${WAY} AS predicted`
const LIVE_COUNTS = `${LIVE}, count(*)::int AS n`
const LIVE_CELLS = `${LIVE}, m.id, m.name,
  coalesce(CASE WHEN ${STEP} = 'failed' AND ${LATE} THEN p.failed_why WHEN ${STEP} = 'away' AND p.failed_at IS NOT NULL
    THEN concat_ws(', ', p.failed_why, 'which was accepted') END, p.message, ${WORDS}, m.verdict_reason) AS note, coalesce(m.failure_domain, '') AS zone`

/** Hulls of changes: live ones from the machines, finished ones from the record. Above `most` machines only counts. */
export async function changeHulls(ids: string[], most: number): Promise<Map<string, HullData>> {
  if (ids.length === 0) return new Map()
  const { rows: counts } = await pool().query<CountRow>(
    `${LIVE_COUNTS} ${OF_CHANGES} GROUP BY 1, 2, 3, 4, 5, 6
     UNION ALL ${LIVE_COUNTS} ${OF_POOLS} GROUP BY 1, 2, 3, 4, 5, 6
     UNION ALL SELECT ch.id, ${MADE}, ${ON_RECORD}, false, ${RECORDED}, ${FORETOLD}, count(*)::int ${OF_RECORD} GROUP BY 1, 2, 3, 5, 6`,
    [ids],
  )
  const hulls = byOwner(counts)
  const few = [...hulls].filter(([, hull]) => hull.total <= most).map(([id]) => id)
  const { rows: cells } = await pool().query<CellRow>(
    `SELECT * FROM (
       ${LIVE_CELLS} ${OF_CHANGES}
       UNION ALL ${LIVE_CELLS} ${OF_POOLS}
       UNION ALL SELECT ch.id, ${MADE}, ${ON_RECORD}, false, ${RECORDED}, ${FORETOLD}, p.machine_id, p.machine_name,
              CASE WHEN ${RECORDED} = 'failed' AND (${LATE} OR ${NEVER}) THEN p.failed_why ELSE p.message END, '' ${OF_RECORD}) x
     ORDER BY zone, name`,
    [few],
  )
  return withCells(hulls, cells, few)
}

export interface ClusterKey {
  clusterId: string
  /** Empty: any (OpenShift's own cluster). */
  namespace: string
  workload: string
}

/** The name of a workload cluster's hull of one role. */
export const hullKey = (of: ClusterKey, controlPlane: boolean): string =>
  `${of.clusterId}/${of.namespace}/${of.workload}/${controlPlane ? 'cp' : 'workers'}`

/** Hulls of workload clusters by their hullKey. */
export async function clusterHulls(keys: ClusterKey[], most: number): Promise<Map<string, HullData>> {
  if (keys.length === 0) return new Map()
  // Both roles of each, named by their place: rows are many, and short.
  const parts = keys.flatMap((k) => [true, false].map((controlPlane) => ({ ...k, controlPlane })))
  const ownerOf = (part: (typeof parts)[number]) => hullKey(part, part.controlPlane)
  const { rows: counts } = await pool().query<CountRow & { place: number }>(
    `SELECT k.place::int, x.state COLLATE "C" AS state, x.verdict COLLATE "C" AS verdict, x.error, NULL AS progress, NULL AS predicted, sum(x.n)::int AS n
     FROM ${KEYS}
     JOIN machine_tally x ON x.cluster_id = k.cluster_id AND x.workload_cluster = k.workload AND x.control_plane = k.control_plane
       AND k.namespace IN (x.namespace, '')
     GROUP BY 1, 2, 3, 4 HAVING sum(x.n) <> 0`,
    columnsOf(parts),
  )
  const owned = <T extends { place: number }>({ place, ...row }: T) => ({ ...row, owner: ownerOf(parts[place - 1]!) })
  const hulls = byOwner(counts.map(owned))
  const few = parts.filter((part) => (hulls.get(ownerOf(part))?.total ?? most + 1) <= most)
  const { rows: cells } = await pool().query<CellRow & { place: number }>(
    `SELECT k.place::int, x.* FROM ${KEYS}
     CROSS JOIN LATERAL (
       SELECT m.state, ${BY_POOL} AS verdict, m.error IS NOT NULL AS error, NULL AS progress, NULL AS predicted, m.id, m.name,
              coalesce(${WORDS}, m.verdict_reason) AS note
       FROM machine m WHERE m.cluster_id = k.cluster_id AND m.workload_cluster = k.workload AND m.control_plane = k.control_plane
         AND k.namespace IN (m.namespace, '')
       ORDER BY m.failure_domain COLLATE "C" NULLS FIRST, m.name COLLATE "C") x`,
    columnsOf(few),
  )
  const ownedByFew = ({ place, ...row }: CellRow & { place: number }) => ({ ...row, owner: ownerOf(few[place - 1]!) })
  const drawn = withCells(hulls, cells.map(ownedByFew), few.map(ownerOf))
  const many = keys.filter((k) => drawn.get(hullKey(k, false))?.cells === null)
  for (const [key, behind] of await behindAmong(many)) {
    const [plane, workers] = [drawn.get(hullKey(key, true)), drawn.get(hullKey(key, false))!]
    drawn.set(hullKey(key, false), { ...workers, counts: withBehind(workers.counts, behind - toUpdate(plane?.counts)) })
  }
  return drawn
}

/** As its set wants it, and its node has not what its pool wants, as nodes_behind counts them. */
const BY_POOL = `CASE WHEN m.provider = 'machine.openshift.io' AND m.verdict = 'up-to-date' AND m.up_to_date IS NOT FALSE AND EXISTS (
  SELECT 1 FROM config_node n JOIN config_pool o ON o.cluster_id = n.cluster_id AND o.name = n.pool
  WHERE n.cluster_id = m.cluster_id AND n.name = m.node AND o.updated < o.machines AND (n.phase <> 'updated' OR o.updated = 0))
  THEN 'in-place' ELSE m.verdict END`

/** How many are so, of clusters whose machines are not drawn one by one. */
async function behindAmong(keys: readonly ClusterKey[]): Promise<[ClusterKey, number][]> {
  if (keys.length === 0) return []
  const { rows } = await pool().query<{ clusterId: string; workload: string; behind: number }>(
    `SELECT cluster_id AS "clusterId", workload_cluster AS workload, behind FROM nodes_behind WHERE cluster_id = ANY($1::uuid[])`,
    [keys.map(({ clusterId }) => clusterId)],
  )
  return rows.flatMap(({ clusterId, workload, behind }) => {
    const key = keys.find((k) => k.clusterId === clusterId && k.workload === workload)
    return key ? [[key, behind] as [ClusterKey, number]] : []
  })
}

const toUpdate = (counts: readonly HullCount[] = []): number =>
  counts.reduce((sum, { mark, moving, count }) => sum + (mark === 'in-place' && !moving ? count : 0), 0)

/** Nodes that are at it, or failed, are behind as well, and are told as that already. */
function withBehind(counts: HullCount[], behind: number): HullCount[] {
  const told = counts.filter(({ mark, moving }) => mark === 'failed' || (mark === 'in-place' && moving))
  const left = behind - told.reduce((sum, { count }) => sum + count, 0)
  const there = counts.find(({ mark, done }) => mark === 'up-to-date' && !done)
  const moved = Math.min(there?.count ?? 0, Math.max(0, left))
  return mergeCounts([
    ...counts.map((c) => (c === there ? { ...c, count: c.count - moved } : c)),
    { mark: 'in-place', count: moved },
  ])
}

const KEYS = `unnest($1::uuid[], $2::text[], $3::text[], $4::bool[])
  WITH ORDINALITY AS k(cluster_id, namespace, workload, control_plane, place)`
const columnsOf = (parts: (ClusterKey & { controlPlane: boolean })[]) => [
  parts.map((p) => p.clusterId),
  parts.map((p) => p.namespace),
  parts.map((p) => p.workload),
  parts.map((p) => p.controlPlane),
]

function byOwner(rows: CountRow[]): Map<string, HullData> {
  const lists = new Map<string, HullCount[]>()
  const current = new Map<string, NonNullable<HullData['current']>>()
  const ill = new Map<string, number>()
  for (const { owner, n, ...row } of rows) {
    const list = lists.get(owner) ?? []
    const mark = markOf(row)
    list.push({ ...mark, count: n })
    lists.set(owner, list)
    if (isIll({ ...row, ...mark })) ill.set(owner, (ill.get(owner) ?? 0) + n)
    // Cluster API writes first what a machine shall be: by that alone it is what is wanted.
    const what = mark.mark === 'failed' ? 'failed' : isAtIt(row) ? 'updating' : null
    if (!what || row.verdict !== 'up-to-date' || row.state === 'deleting') continue
    const sums = current.get(owner) ?? { failed: 0, updating: 0 }
    current.set(owner, { ...sums, [what]: sums[what] + n })
  }
  return new Map(
    [...lists].map(([owner, list]) => {
      const counts = mergeCounts(list)
      const of = current.get(owner)
      const total = counts.reduce((sum, c) => sum + c.count, 0)
      const notReady = ill.get(owner)
      return [
        owner,
        { total, cells: null, counts, ...(of ? { current: of } : {}), ...(notReady ? { ill: notReady } : {}) },
      ]
    }),
  )
}

const isAtIt = ({ state, progress }: Pick<CountRow, 'state' | 'progress'>): boolean =>
  state === 'updating' || progress === 'updating'

/** One that went through before may be ill as well: its mark says only that it is done. Of a failed update nobody knows. */
const isIll = ({ mark, state, progress }: Pick<CountRow, 'state' | 'progress'> & Pick<HullCount, 'mark'>): boolean =>
  !WORKED_ON.has(state) &&
  !WORKED_ON.has(progress) &&
  (mark === 'not-ready' || state === 'not-ready' || (state === 'failed' && progress !== 'failed'))
const WORKED_ON = new Set<string | null>(['updating', 'deleting'])

function withCells(hulls: Map<string, HullData>, rows: CellRow[], few: string[]): Map<string, HullData> {
  const lists = new Map<string, HullCell[]>(few.map((owner) => [owner, []]))
  for (const { owner, id, name, note, ...row } of rows) {
    lists.get(owner)?.push({ id, name, ...markOf(row), ...(note ? { note } : {}) })
  }
  for (const [owner, cells] of lists)
    hulls.set(owner, { ...hulls.get(owner), total: cells.length, cells, counts: countCells(cells) })
  return hulls
}
