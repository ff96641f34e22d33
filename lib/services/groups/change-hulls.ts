import { changeHulls as query } from '@/lib/db/queries/hulls'
import type { HullData } from '@/lib/domain/hull'
import { requirePermission, type Ctx } from '../context'

/** Cells that a row can hold, and a page. */
export const ROW_CELLS = 48
export const PAGE_CELLS = 200

/** The hulls of changes, by the change's id. */
export async function changeHulls(ctx: Ctx, ids: string[], most: number): Promise<Record<string, HullData>> {
  requirePermission(ctx, 'fleet:read')
  return Object.fromEntries(await query(ids, most))
}
