import { db, pool as pgPool } from '@/lib/db/client'
import type { ConfigPool, ManagementCluster } from '@/lib/db/generated/client'
import { poolHulls, poolKey, STUCK } from '@/lib/db/queries/pools'
import { cannotWrite, POOLS } from '@/lib/domain/access/cannot-write'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { HullData } from '@/lib/domain/hull'
import { HELD_BEFORE, NEVER_MASTER, notWatchedWords, strengthWords } from '@/lib/domain/latch/pool-words'
import type { OwnPause } from '@/lib/domain/rows'
import { pausedWarning, type Held } from '@/lib/domain/pools/held'
import { notPausable } from '@/lib/domain/pools/pause-risk'
import type { Standing } from '@/lib/domain/pools/progress'
import { isDue } from '@/lib/domain/review'
import type { Certificate, Phase, PoolState } from '@/lib/domain/pools/types'
import type { Condition } from '@/lib/domain/skew/types'
import { DRYDOCK } from '@/lib/providers/written-by'
import { may, parseInput, requirePermission, type Ctx } from '../context'
import { timesHeldAgain } from '../changes/held-again'
import { movedBefore, nodesMovedUnapproved, type MovedBefore } from '../changes/moved-unapproved'
import { ServiceError } from '../errors'
import { actionDto, STORED, type ActionDto } from '../openshift/action-row'
import { poolTarget } from '../openshift/kinds/pool'
import { configsHad, withHad } from './configs-had'
import { fromCursor, toCursor } from './cursor'
import { holdNow } from './hold-now'
import { nodeDto, poolStanding, type NodeDto } from './node-dto'
import { firstPause, isPausedBy, isSinceKnown, isStillPausedBy } from './paused-here'
import { openChanges, type PoolChange } from './open-change'
import { GetPoolInput } from './schemas'

export interface PoolDetail {
  id: string
  clusterId: string
  cluster: string
  /** How the management cluster is reached, and when it was last heard. */
  connection: { state: string; message: string | null; lastHeardAt: string | null }
  /** It, or its nodes, cannot be read any more: why, and since when; null: they are heard. */
  unheard: { why: string; since: string | null } | null
  name: string
  state: PoolState
  sentence: string
  paused: boolean
  pausedSince: string | null
  /** It was paused then; else at the latest. */
  sinceKnown: boolean
  maxUnavailable: string | null
  atOnce: number | null
  counts: { machines: number; updated: number; ready: number; unavailable: number; degraded: number }
  currentConfig: string | null
  desiredConfig: string | null
  /** The OS image that is built for it; `name` null: it is not there yet. Null: none is, or it is not known. */
  image: { name: string | null } | null
  currentRelease: string | null
  desiredRelease: string | null
  wantedRelease: string | null
  clusterUpdating: boolean | null
  required: boolean
  pending: boolean
  /** Whether what its nodes have is of the release that is wanted. */
  standing: Standing
  certificates: Certificate[]
  /** What a pause may do to certificates; only where it is paused. */
  certificateWarning: string | null
  conditions: Condition[]
  hull: HullData
  stuck: number
  /** Nodes in each phase, whatever is asked for. */
  phases: Partial<Record<Phase, number>>
  nodes: NodeDto[]
  nodesTotal: number
  after: string | null
  /** Why it cannot be paused from here; null: it can. */
  notPausable: string | null
  /** Why Drydock cannot write it at all; null: it can, as far as that was looked at. */
  cannotWrite: string | null
  /** The date of the pause that stands has come. */
  reviewDue: boolean
  /**
   * How strongly its configurations are held, in words; and its change that is not over. `held`: the pause is Drydock's own; `kept`: it
   * is a person's, and something waits for approval below it.
   */
  hold: {
    strength: string
    held: boolean
    kept: boolean
    governed: boolean
    /** Held before its cluster's latch was removed: anybody who may edit it can let it go. */
    unguarded: boolean
    change: PoolChange | null
    /** Nodes that took up what waits although no approval of it was in force. */
    begunUnapproved: string[]
    /** The same of what newer configurations took the place of. */
    begunBefore: MovedBefore[]
  }
  /** Nodes that have neither the configuration before nor the one that is wanted, by the one that they have. */
  elsewhere: { config: string; nodes: number }[]
  /** The newest decision about it. */
  action: ActionDto | null
  /** The decision that paused it, where nobody else wrote that since; it may be older than the newest. */
  pausedWith: ActionDto | null
  /** The one that it began with, where that was said again since. */
  pausedFirst: ActionDto | null
  /** It was paused from here. */
  pausedHere: boolean
  /** To pause it, and to resume it. */
  may: { act: boolean; resume: boolean }
}

const PAGE = 100
const PAGE_CELLS = 200
/** As often a pause may be said again, at every review of it, and is known still to have begun with the first. */
const SAID_AGAIN = 100
const RANK = `(n.severity + CASE WHEN n.stuck_from <= now() THEN 100 ELSE 0 END)`

/** One pool with its nodes, those that need somebody first. */
export async function getPool(ctx: Ctx, input: unknown): Promise<PoolDetail> {
  requirePermission(ctx, 'fleet:read')
  const { id, phase, q, after } = parseInput(GetPoolInput, input)
  const [found, had] = await Promise.all([
    db().configPool.findUnique({
      where: { id },
      include: { cluster: { include: { policy: { select: { pools: true } } } } },
    }),
    configsHad([id]),
  ])
  if (!found)
    throw new ServiceError('not-found', 'This pool is gone.', {
      hint: 'It was deleted in its cluster, or the cluster was disconnected.',
    })
  const row = withHad(found, had)
  const key = { clusterId: row.clusterId, name: row.name }
  const about = { clusterId: row.clusterId, kind: 'pool', target: poolTarget(row.name) }
  const pausedHere = row.paused && row.pausedBy === DRYDOCK
  const [hulls, nodes, phases, action, stored, seen, hold, elsewhere] = await Promise.all([
    poolHulls([key], PAGE_CELLS),
    nodesOf(row, { phase, q, after }),
    db().configNode.groupBy({ by: ['phase'], where: { clusterId: row.clusterId, pool: row.name }, _count: true }),
    db().openShiftAction.findFirst({ where: about, orderBy: { recordedAt: 'desc' } }),
    db().openShiftAction.findMany({
      ...{ where: { ...about, state: { in: STORED } }, take: SAID_AGAIN },
      ...{ orderBy: { recordedAt: 'desc' }, select: { id: true, action: true, recordedAt: true } },
    }),
    // As lists have it (POOL_REVIEW).
    db().openShiftAction.findFirst({ where: { ...about, state: 'seen' }, orderBy: { recordedAt: 'desc' } }),
    holdOfPool(row),
    elsewhereOf(row),
  ])
  const { stuck, ...hull } = hulls.get(poolKey(key))!
  const [newest = null] = stored
  const first = firstPause(row, stored, hold.held)
  const [pausedWith, pausedFirst] = await wholeOf([isPausedBy(row, newest, hold.held) ? newest : null, first])
  return {
    ...poolDto(row, {
      ...{ ours: hold.held, kept: hold.kept, asks: hold.change?.asks ?? hold.held },
      opens: hold.change?.standing?.timing.opens,
    }),
    cannotWrite: cannotWrite(row.cluster.discovery as Partial<Capabilities> | null, POOLS),
    cluster: row.cluster.name,
    connection: {
      state: row.cluster.state,
      message: row.cluster.stateMessage,
      lastHeardAt: row.cluster.lastHeardAt?.toISOString() ?? null,
    },
    hull,
    stuck,
    phases: Object.fromEntries(phases.map((p) => [p.phase, p._count])),
    ...nodes,
    reviewDue: isStillPausedBy(row, seen, hold.held) && isDue(seen?.reviewAt, new Date()),
    hold,
    elsewhere,
    action: action && actionDto(action),
    sinceKnown: isSinceKnown(row, first, hold.held),
    ...{ pausedWith: pausedWith!, pausedFirst: pausedFirst! },
    pausedHere,
    may: { act: may(ctx.actor.role, 'pools:act'), resume: may(ctx.actor.role, 'pools:resume') },
  }
}

/** They may be many, with long calls: only those that are shown are read. */
async function wholeOf(some: readonly ({ id: string } | null)[]): Promise<(ActionDto | null)[]> {
  const ids = some.flatMap((one) => one?.id ?? [])
  const rows = ids.length > 0 ? await db().openShiftAction.findMany({ where: { id: { in: ids } } }) : []
  const byId = new Map(rows.map((row) => [row.id, actionDto(row)]))
  return some.map((one) => (one && byId.get(one.id)) ?? null)
}

/** What a newer configuration took the place of in the middle of it. */
async function elsewhereOf({ clusterId, name, currentConfig, desiredConfig }: Row): Promise<PoolDetail['elsewhere']> {
  const known = [currentConfig, desiredConfig].filter((config) => config !== null)
  const rows = await db().configNode.groupBy({
    by: ['currentConfig'],
    where: { clusterId, pool: name, currentConfig: { notIn: known, not: null } },
    orderBy: { currentConfig: 'asc' },
    _count: true,
  })
  return rows.map((row) => ({ config: row.currentConfig!, nodes: row._count }))
}

type Row = ConfigPool & { cluster: ManagementCluster & { policy: { pools: string | null } | null } }

async function holdOfPool(row: Row): Promise<PoolDetail['hold']> {
  const group = await db().group.findUnique({
    where: { id: row.id },
    select: { governed: true, held: true, ownPause: true, watchTrouble: true },
  })
  const change = (await openChanges([row])).get(row.id) ?? null
  const { strength: held, down, notPaused, images, trouble } = await holdNow(row, row.cluster, group)
  const taken = change ? await timesHeldAgain(db(), [change.id]) : null
  const words = [strengthWords(held, row.atOnce, taken?.get(change!.id)), images].filter(Boolean).join('; ')
  const strength = trouble === null ? words : `${words}. ${trouble}`
  const waits = change !== null && ['waiting', 'rejected'].includes(change.state)
  const kept = waits && ((group?.ownPause as unknown as OwnPause | null)?.guarded ?? false)
  const isHeld = Boolean(group?.held)
  const isNot = held === 'not-held' || notPaused !== null
  const told = (isHeld || kept) && isNot ? HELD_BEFORE : (notPaused ?? strength)
  return {
    strength: notPausable(row) ? NEVER_MASTER : down === null ? told : notWatchedWords(down, isHeld || kept),
    held: isHeld,
    kept,
    governed: group?.governed ?? false,
    unguarded: (isHeld || kept) && row.cluster.latchForm === 'none',
    change,
    begunUnapproved: waits ? await nodesMovedUnapproved(change.id) : [],
    begunBefore: await movedBefore(row.clusterId, row.id),
  }
}

function poolDto(row: ConfigPool, held: Held) {
  const { id, clusterId, name, sentence, paused, maxUnavailable, atOnce, currentConfig, desiredConfig } = row
  const { machines, updated, ready, unavailable, degraded, required, pending, clusterUpdating } = row
  const { currentRelease, desiredRelease, wantedRelease } = row
  const certificates = row.certificates as unknown as Certificate[]
  return {
    ...{ id, clusterId, name, sentence, paused, maxUnavailable, atOnce, currentConfig, desiredConfig },
    ...{ currentRelease, desiredRelease, wantedRelease, required, pending, clusterUpdating, certificates },
    state: row.state as PoolState,
    image: row.imageMode === 'built' ? { name: row.builtImage } : null,
    standing: poolStanding(row),
    pausedSince: row.pausedSince?.toISOString() ?? null,
    counts: { machines, updated, ready, unavailable, degraded },
    certificateWarning: paused && machines > 0 ? pausedWarning(certificates, Date.now(), held) : null,
    conditions: row.conditions as unknown as Condition[],
    unheard: row.unheardWhy === null ? null : { why: row.unheardWhy, since: row.unheardSince?.toISOString() ?? null },
    notPausable: notPausable({ name }),
  }
}

interface Asked {
  phase?: string
  q?: string
  after?: string
}

async function nodesOf(row: ConfigPool, { phase, q, after }: Asked) {
  const { clusterId, name } = row
  const from = fromCursor(after)
  const like = q ? `%${q.replace(/[\\%_]/g, '\\$&')}%` : null
  const where = `WHERE n.cluster_id = $1 AND n.pool = $2 AND ($3::text IS NULL OR n.phase = $3 OR $3 = 'stuck' AND ${STUCK})
    AND ($4::text IS NULL OR n.name ILIKE $4 OR n.zone ILIKE $4 OR n.sentence ILIKE $4)`
  const given = [clusterId, name, phase ?? null, like]
  const [{ rows }, { rows: counted }] = await Promise.all([
    pgPool().query<{ id: string; name: string; rank: number }>(
      `SELECT n.id, n.name, ${RANK} AS rank FROM config_node n ${where}
         AND ($5::int IS NULL OR (-${RANK}, n.name, n.id) > (-$5::int, $6::text, $7::uuid))
       ORDER BY -${RANK}, n.name, n.id LIMIT ${PAGE + 1}`,
      [...given, from?.rank ?? null, from?.name ?? null, from?.id ?? null],
    ),
    pgPool().query<{ n: number }>(`SELECT count(*)::int AS n FROM config_node n ${where}`, given),
  ])
  const page = rows.slice(0, PAGE)
  const found = await db().configNode.findMany({ where: { id: { in: page.map(({ id }) => id) } } })
  const byId = new Map(found.map((node) => [node.id, nodeDto(node, row)]))
  const last = page.at(-1)
  return {
    nodes: page.flatMap(({ id }) => byId.get(id) ?? []),
    nodesTotal: counted[0]!.n,
    after: rows.length > PAGE && last ? toCursor(last.rank, last.name, last.id) : null,
  }
}
