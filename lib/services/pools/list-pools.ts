import { db, pool as pgPool } from '@/lib/db/client'
import { POOL_REVIEW } from '@/lib/db/queries/pool-review'
import { CERT_ENDS, POOL_SEVERITY } from '@/lib/db/queries/pool-severity'
import { poolHulls, poolKey } from '@/lib/db/queries/pools'
import type { HullData } from '@/lib/domain/hull'
import type { PoolState } from '@/lib/domain/pools/types'
import { DRYDOCK } from '@/lib/providers/written-by'
import { parseInput, requirePermission, type Ctx } from '../context'
import { STORED } from '../openshift/action-row'
import { poolTarget } from '../openshift/kinds/pool'
import { configsHad, withHad } from './configs-had'
import { fromCursor, toCursor } from './cursor'
import { openChanges, type PoolChange } from './open-change'
import { firstPause, isSinceKnown, WRITTEN_MS } from './paused-here'
import { ListPoolsInput } from './schemas'

export interface PoolRowDto {
  id: string
  clusterId: string
  cluster: string
  /** Its cluster, or it, or its nodes are not heard: of this all is as it was last heard. */
  old: boolean
  name: string
  state: PoolState
  sentence: string
  paused: boolean
  /** The pause is Drydock's own: what waits goes when it is approved. */
  held: boolean
  /** Its change that is not over. */
  change: PoolChange | null
  pausedSince: string | null
  /** It was paused then; else at the latest. */
  sinceKnown: boolean
  /** Of the pause that stands: somebody is to look at it again. */
  reviewAt: string | null
  reviewDue: boolean
  /** It is paused, and when the certificate that its nodes trust expires is near; null: it is not. */
  certEnds: string | null
  machines: number
  updated: number
  unavailable: number
  degraded: number
  /** Nodes that are longer in one step than they should be. */
  stuck: number
  currentRelease: string | null
  desiredRelease: string | null
  currentConfig: string | null
  desiredConfig: string | null
  hull: HullData
}

export interface PoolsPage {
  pools: PoolRowDto[]
  /** How many in each state, whatever state is asked for. */
  counts: Partial<Record<PoolState, number>>
  total: number
  after: string | null
  /** Pauses that are to be looked at again, whatever else is asked for. */
  due: number
  /** OpenShift clusters in this scope whose Machine Config Operator has no pools here: hosted control planes. */
  hosted: string[]
  /** How many of those are not named here. */
  hostedMore: number
}

const PAGE = 50
const ROW_CELLS = 60

/**
 * The worst first, one with a node that is stuck, or whose pause is dangerous, above those that merely wait; of those that are paused and behind, the one that is so for
 * longest, by days. Since when is not known: before all.
 */
const RANK = `(${POOL_SEVERITY} * 10000 + CASE WHEN p.state <> 'behind' THEN 0 WHEN p.paused_since IS NULL THEN 9999
  ELSE least(9999, greatest(0, floor(extract(epoch FROM now() - p.paused_since) / 86400)))::int END)`

const FROM = `FROM config_pool p JOIN management_cluster c ON c.id = p.cluster_id ${POOL_REVIEW}
  WHERE ($1::text IS NULL OR c.name = $1) AND ($2::text IS NULL OR p.name ILIKE $2 OR c.name ILIKE $2 OR p.desired_release ILIKE $2
    OR p.desired_config ILIKE $2 OR p.sentence ILIKE $2) AND ($3::text IS NULL OR w.review_at <= now())`

type Row = Omit<PoolRowDto, 'hull' | 'stuck' | 'change' | 'pausedSince' | 'sinceKnown' | 'reviewAt' | 'certEnds'> & {
  certEnds: Date | null
  pausedBy: string | null
  pausedSince: Date | null
  reviewAt: Date | null
  rank: number
}

/** MachineConfigPools of all OpenShift clusters, the worst first. */
export async function listPools(ctx: Ctx, input: unknown): Promise<PoolsPage> {
  requirePermission(ctx, 'fleet:read')
  const { cluster, state, review, q, after } = parseInput(ListPoolsInput, input)
  const filter = [cluster || null, q ? `%${q.replace(/[\\%_]/g, '\\$&')}%` : null, review ?? null]
  const from = fromCursor(after)
  const [{ rows }, { rows: counted }, { rows: hosted }, { rows: due }] = await Promise.all([
    pgPool().query<Row>(
      `SELECT p.id, p.cluster_id AS "clusterId", c.name AS cluster, (c.state IN ('unreachable', 'unauthorised') OR p.unheard_why IS NOT NULL) AS old, p.name, p.state, p.sentence, ${RANK} AS rank, p.paused,
         p.paused AND EXISTS (SELECT 1 FROM machine_group g WHERE g.id = p.id AND g.cluster_id = p.cluster_id AND g.held IS NOT NULL) AS held,
         p.paused_since AS "pausedSince", p.paused_by AS "pausedBy", w.review_at AS "reviewAt", coalesce(w.review_at <= now(), false) AS "reviewDue", CASE WHEN ${CERT_ENDS} THEN p.cert_expiry END AS "certEnds", p.machines, p.updated, p.unavailable, p.degraded, p.current_release AS "currentRelease",
         p.desired_release AS "desiredRelease", p.current_config AS "currentConfig", p.desired_config AS "desiredConfig"
       ${FROM} AND ($4::text IS NULL OR p.state = $4)
         AND ($5::int IS NULL OR (-${RANK}, c.name || '/' || p.name, p.id) > (-$5::int, $6::text, $7::uuid))
       ORDER BY -${RANK}, c.name || '/' || p.name, p.id LIMIT ${PAGE + 1}`,
      [...filter, state ?? null, from?.rank ?? null, from?.name ?? null, from?.id ?? null],
    ),
    pgPool().query<{ state: PoolState; n: number }>(`SELECT p.state, count(*)::int AS n ${FROM} GROUP BY 1`, filter),
    pgPool().query<{ name: string; n: number }>(
      `SELECT c.name, count(*) OVER ()::int AS n FROM openshift_cluster o JOIN management_cluster c ON c.id = o.cluster_id
       WHERE ($1::text IS NULL OR c.name = $1) AND o.topology = 'External' ORDER BY 1 LIMIT 20`,
      [cluster || null],
    ),
    pgPool().query<{ n: number }>(`SELECT count(*)::int AS n ${FROM}`, [filter[0], null, 'due']),
  ])
  const page = rows.slice(0, PAGE)
  const [hulls, changes, decided, had] = await Promise.all([
    poolHulls(page, ROW_CELLS),
    openChanges(page),
    decisionsOf(page.filter(({ paused, pausedBy }) => paused && pausedBy === DRYDOCK)),
    configsHad(page.map(({ id }) => id)),
  ])
  const counts = Object.fromEntries(counted.map(({ state: of, n }) => [of, n])) as PoolsPage['counts']
  const last = page.at(-1)
  return {
    pools: page.map(({ rank: _, pausedBy, ...row }) => {
      const { stuck, ...hull } = hulls.get(poolKey(row))!
      const at = (date: Date | null) => date?.toISOString() ?? null
      const change = changes.get(row.id) ?? null
      const its = { ...row, pausedBy }
      const sinceKnown = isSinceKnown(its, firstPause(its, decided.get(poolKey(row)) ?? [], row.held), row.held)
      const of = withHad(row, had)
      return {
        ...of,
        change,
        pausedSince: at(row.pausedSince),
        sinceKnown,
        reviewAt: at(row.reviewAt),
        certEnds: at(row.certEnds),
        stuck,
        hull,
      }
    }),
    counts,
    total: state ? (counts[state] ?? 0) : counted.reduce((sum, { n }) => sum + n, 0),
    after: rows.length > PAGE && last ? toCursor(last.rank, `${last.cluster}/${last.name}`, last.id) : null,
    due: due[0]!.n,
    hosted: hosted.map(({ name }) => name),
    hostedMore: (hosted[0]?.n ?? 0) - hosted.length,
  }
}

/** Of each of these pools the decisions since its pause began that its cluster has taken, the newest first. */
async function decisionsOf(pools: readonly Pick<Row, 'clusterId' | 'name' | 'pausedSince'>[]) {
  const all = new Map<string, { action: string; recordedAt: Date }[]>()
  const known = pools.flatMap(({ clusterId, name, pausedSince }) =>
    pausedSince
      ? [{ clusterId, target: poolTarget(name), recordedAt: { gte: new Date(pausedSince.getTime() - WRITTEN_MS) } }]
      : [],
  )
  if (known.length === 0) return all
  const byTarget = new Map(pools.map((pool) => [`${pool.clusterId} ${poolTarget(pool.name)}`, poolKey(pool)]))
  const rows = await db().openShiftAction.findMany({
    where: { ...{ kind: 'pool', state: { in: STORED } }, OR: known },
    orderBy: { recordedAt: 'desc' },
    select: { clusterId: true, target: true, action: true, recordedAt: true },
  })
  for (const row of rows) {
    const key = byTarget.get(`${row.clusterId} ${row.target}`)!
    all.set(key, [...(all.get(key) ?? []), row])
  }
  return all
}
