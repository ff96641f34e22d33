import { db } from '@/lib/db/client'
import type { Updater } from '@/lib/db/generated/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { earliestEnd } from './authority'
import { readGroups, type UpdaterGroups } from './groups'
import { ListUpdatersInput } from './schemas'

export interface UpdaterDto {
  id: string
  name: string
  url: string
  /** null: for every management cluster */
  clusterId: string | null
  position: number
  /** When the earliest of its certificates ends; null: what is stored holds none that can be read. */
  caNotAfter: string | null
  createdAt: string
  /** null: for every group; unreadable: something else than Drydock wrote it */
  groups: UpdaterGroups | null | 'unreadable'
  health: UpdaterHealth
}

export interface UpdaterHealth {
  /** null: nobody has asked it yet */
  askedAt: string | null
  ms: number | null
  /** null: its last answer was a good one */
  failingSince: string | null
  error: string | null
}

export function updaterDto(row: Updater): UpdaterDto {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    clusterId: row.clusterId,
    position: row.position,
    caNotAfter: earliestEnd(row.caPem),
    createdAt: row.createdAt.toISOString(),
    groups: readGroups(row),
    health: {
      askedAt: row.askedAt?.toISOString() ?? null,
      ms: row.answeredMs,
      failingSince: row.failingSince?.toISOString() ?? null,
      error: row.lastError,
    },
  }
}

/** The configured updaters, in the order in which they are asked. */
export async function listUpdaters(ctx: Ctx, input: unknown = {}): Promise<UpdaterDto[]> {
  requirePermission(ctx, 'fleet:read')
  const { clusterId } = parseInput(ListUpdatersInput, input)
  const rows = await db().updater.findMany({
    where: clusterId ? { OR: [{ clusterId }, { clusterId: null }] } : {},
    orderBy: [{ position: 'asc' }, { createdAt: 'asc' }],
  })
  return rows.map(updaterDto)
}
