import { asChosen } from '@/lib/domain/access/as-chosen'
import type { Capabilities } from '@/lib/domain/capabilities'
import { db } from '@/lib/db/client'
import { heldGroups } from '@/lib/db/queries/held'
import { clusterLiveness, type ShellCluster } from '@/lib/db/queries/shell'
import { countsLeftHeld } from '../changes/place'
import { requirePermission, type Ctx } from '../context'
import type { GateStatus } from '../gate/status'
import { latchOf } from '../latch/status'
import { watchesNow } from '../latch/watch-now'

export interface ClusterSummary {
  id: string
  name: string
  server: string
  state: string
  stateMessage: string | null
  lastHeardAt: string | null
  discovery: Capabilities | null
  discoveredAt: string | null
  governs: string
  latchForm: string
  /** Why its governed groups may be unprotected, or cannot be written, in a word or two; null: they are held, or there are none. */
  unprotected: string | null
  /** No worker follows it; since when. Null: one does. */
  away: ShellCluster['away']
  gateState: string
  /** Its registration was there, and somebody took it away. */
  gateTaken: boolean
  machines: number
  groups: number
  held: number
  /** Of one that was disconnected: how many groups were held there when it was left. */
  leftHeld: number
  streams: { total: number; watching: number }
}

/** All management clusters with what the list of connections shows. There are few of them: not paged. */
export async function listClusters(ctx: Ctx): Promise<ClusterSummary[]> {
  requirePermission(ctx, 'fleet:read')
  const rows = await db().managementCluster.findMany({
    orderBy: { name: 'asc' },
    include: {
      policy: { select: { governs: true, pools: true } },
      streams: { where: { state: { not: 'absent' } }, select: { state: true } },
      _count: { select: { groups: true } },
    },
  })
  const machines = await db().machineTally.groupBy({ by: ['clusterId'], _sum: { n: true } })
  const held = await heldGroups()
  const watches = await watchesNow()
  const left = await countsLeftHeld(rows.filter(({ state }) => state === 'disconnected').map(({ id }) => id))
  const away = new Map((await clusterLiveness()).map((c) => [c.id, c.away]))
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    server: row.server,
    state: row.state,
    stateMessage: row.stateMessage,
    lastHeardAt: row.lastHeardAt?.toISOString() ?? null,
    discovery: row.discovery === null ? null : asChosen(row.discovery as unknown as Capabilities, row.policy),
    discoveredAt: row.discoveredAt?.toISOString() ?? null,
    governs: row.policy?.governs ?? 'none',
    latchForm: row.latchForm,
    unprotected:
      row.state !== 'disconnected' && (row.policy?.governs ?? 'none') !== 'none'
        ? latchOf(row.latchForm, row.latchStatus, watches.get(row.id), away.get(row.id) ?? null).trouble
        : null,
    away: away.get(row.id) ?? null,
    gateState: row.gateState,
    gateTaken: row.state !== 'disconnected' && !!(row.gateStatus as unknown as GateStatus | null)?.takenAt,
    machines: machines.find((m) => m.clusterId === row.id)?._sum.n ?? 0,
    groups: row._count.groups,
    held: held.get(row.id) ?? 0,
    leftHeld: left.get(row.id) ?? 0,
    streams: { total: row.streams.length, watching: row.streams.filter((s) => s.state === 'watching').length },
  }))
}
