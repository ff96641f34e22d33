import { X509Certificate } from 'node:crypto'
import { db } from '@/lib/db/client'
import type { Updater } from '@/lib/db/generated/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ListUpdatersInput } from './schemas'

export interface UpdaterDto {
  id: string
  name: string
  url: string
  /** null: for every management cluster */
  clusterId: string | null
  position: number
  /** When the earliest of its certificates ends. */
  caNotAfter: string
  createdAt: string
}

export function updaterDto(row: Updater): UpdaterDto {
  const blocks = row.caPem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const ends = blocks.map((pem) => Date.parse(new X509Certificate(pem).validTo))
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    clusterId: row.clusterId,
    position: row.position,
    caNotAfter: new Date(Math.min(...ends)).toISOString(),
    createdAt: row.createdAt.toISOString(),
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
