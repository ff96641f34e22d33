import type { Capabilities } from '@/lib/domain/capabilities'
import { db } from '@/lib/db/client'
import { heldGroups } from '@/lib/db/queries/held'
import { clusterLiveness, type ShellCluster } from '@/lib/db/queries/shell'
import type { Json } from '@/lib/domain/json'
import { groupsLeft } from '../changes/place'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { asItIs, type LatchStatus } from '../latch/status'
import { watchNow } from '../latch/watch-now'
import { ClusterId } from './schemas'

export interface StreamRow {
  resource: string
  state: string
  objects: number
  events: number
  relists: number
  lastHeardAt: string | null
  message: string | null
  /** How many of its objects have the uids of another connected cluster's, and are shown there alone. */
  elsewhere: number
  /** The names of these clusters. */
  elsewhereIn: string[]
}

export interface ClusterDetail {
  id: string
  name: string
  server: string
  identity: string | null
  state: string
  stateMessage: string | null
  lastHeardAt: string | null
  createdAt: string
  discovery: Capabilities | null
  discoveredAt: string | null
  policy: {
    governs: string
    labelKey: string | null
    labelValue: string | null
    breakGlass: string
    /** How somebody chose to have pools held; null: nobody chose. */
    pools: string | null
    reasonNeeded: boolean
    /** 0: nobody chose anything yet. */
    version: number
  }
  latch: { form: string; status: Json; checkedAt: string | null }
  gate: { state: string; status: Json }
  owner: { worker: string; until: string } | null
  /** No worker follows it, so nobody answers for it either; since when. Null: one does. */
  away: ShellCluster['away']
  streams: StreamRow[]
  counts: { machines: number; groups: number; workloadClusters: number; held: number }
  connected: boolean
  /** Of one that was disconnected: how many groups were held there when it was left, and the first of them by name. */
  leftHeld: { count: number; names: string[] }
  /** The same of what was under way then, and goes on. */
  leftGoing: { count: number; names: string[] }
  /** And of what somebody agreed to that it moves by the disconnect. */
  leftMoving: { count: number; names: string[] }
}

/** One management cluster, everything that its page shows. */
export async function getCluster(ctx: Ctx, input: unknown): Promise<ClusterDetail> {
  requirePermission(ctx, 'fleet:read')
  const { clusterId } = parseInput(ClusterId, input)
  const row = await db().managementCluster.findUnique({
    where: { id: clusterId },
    include: {
      policy: true,
      lease: true,
      credential: { select: { clusterId: true } },
      streams: { orderBy: { resource: 'asc' } },
      _count: { select: { groups: true, workloadClusters: true } },
    },
  })
  if (!row) throw new ServiceError('not-found', 'There is no such management cluster.')
  const held = (await heldGroups()).get(clusterId) ?? 0
  const machines = await db().machineTally.aggregate({ where: { clusterId }, _sum: { n: true } })
  const { policy, lease } = row
  const others = await connectedOf(row.streams.flatMap(({ elsewhereIn }) => elsewhereIn))
  const away = (await clusterLiveness()).find(({ id }) => id === clusterId)?.away ?? null
  const latch = asItIs(row.latchForm, row.latchStatus as LatchStatus | null, await watchNow(clusterId), away)
  const left = row.credential === null ? await groupsLeft(clusterId) : { held: [], going: [], moving: [] }
  return {
    id: row.id,
    name: row.name,
    server: row.server,
    identity: row.identity,
    state: row.state,
    stateMessage: row.stateMessage,
    lastHeardAt: row.lastHeardAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    discovery: row.discovery as Capabilities | null,
    discoveredAt: row.discoveredAt?.toISOString() ?? null,
    policy: {
      governs: policy?.governs ?? 'none',
      labelKey: policy?.labelKey ?? null,
      labelValue: policy?.labelValue ?? null,
      breakGlass: policy?.breakGlass ?? 'drydock:break-glass',
      pools: policy?.pools ?? null,
      reasonNeeded: policy?.reasonNeeded ?? false,
      version: policy?.version ?? 0,
    },
    latch: {
      form: row.latchForm,
      status: latch as unknown as Json,
      checkedAt: row.latchCheckedAt?.toISOString() ?? null,
    },
    gate: { state: row.gateState, status: row.gateStatus as Json },
    owner: lease ? { worker: lease.owner, until: lease.until.toISOString() } : null,
    away,
    streams: row.streams.map(({ clusterId: _cluster, resourceVersion: _version, ...stream }) => ({
      ...stream,
      ...stillElsewhere(stream, others),
      events: Number(stream.events),
      lastHeardAt: stream.lastHeardAt?.toISOString() ?? null,
    })),
    counts: { ...row._count, machines: machines._sum.n ?? 0, held },
    connected: row.credential !== null,
    leftHeld: firstOf(left.held),
    leftGoing: firstOf(left.going),
    leftMoving: firstOf(left.moving),
  }
}

/** Thousands may have been held. */
const MOST_NAMED = 20
const firstOf = (groups: readonly string[]): ClusterDetail['leftHeld'] => ({
  count: groups.length,
  names: groups.slice(0, MOST_NAMED),
})

async function connectedOf(ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const where = { id: { in: ids }, credential: { isNot: null } }
  const rows = await db().managementCluster.findMany({ where, select: { id: true, name: true } })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Of a cluster that was disconnected since, nothing is elsewhere any more. */
function stillElsewhere(
  { elsewhere, elsewhereIn }: Pick<StreamRow, 'elsewhere' | 'elsewhereIn'>,
  others: Map<string, string>,
): Pick<StreamRow, 'elsewhere' | 'elsewhereIn'> {
  const names = elsewhereIn.flatMap((id) => others.get(id) ?? [])
  return { elsewhere: elsewhereIn.length > 0 && names.length === 0 ? 0 : elsewhere, elsewhereIn: names }
}
