import { db } from '@/lib/db/client'
import { requirePermission, type Ctx } from '../context'

export interface UnknownErrorDto {
  provider: string
  condition: string
  reason: string
  /** What differs from machine to machine is masked. */
  message: string
  example: string
  count: number
  firstSeen: string
  lastSeen: string
}

/** Errors of machines that the catalogue does not know, the most frequent first. */
export async function unknownErrors(ctx: Ctx): Promise<UnknownErrorDto[]> {
  requirePermission(ctx, 'fleet:read')
  const rows = await db().unknownError.findMany({ orderBy: [{ count: 'desc' }, { lastSeen: 'desc' }, { id: 'asc' }] })
  return rows.map(({ provider, condition, reason, message, example, count, firstSeen, lastSeen }) => ({
    ...{ provider, condition, reason, message, example, count: Number(count) },
    ...{ firstSeen: firstSeen.toISOString(), lastSeen: lastSeen.toISOString() },
  }))
}
