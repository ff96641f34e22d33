import { changeHulls as query } from '@/lib/db/queries/hulls'
import { withMissing, type HullData } from '@/lib/domain/hull'
import type { ChangeDto } from '../changes/change-row'
import { requirePermission, type Ctx } from '../context'

/** Cells that a row can hold, and a page. */
export const ROW_CELLS = 48
export const PAGE_CELLS = 200

/** The hulls of changes, by the change's id. */
export async function changeHulls(ctx: Ctx, ids: string[], most: number): Promise<Record<string, HullData>> {
  requirePermission(ctx, 'fleet:read')
  return Object.fromEntries(await query(ids, most))
}

/** Before it begins, an update shows the machines that are not there yet: a spare, and what is wanted besides. */
export function withSpares(hull: HullData, change: Pick<ChangeDto, 'state' | 'decision' | 'outlook'>): HullData {
  const { state, decision, outlook } = change
  if (state !== 'waiting' && state !== 'rejected' && state !== 'approved') return hull
  const replacing = (state === 'approved' && decision?.mode === 'replace') || outlook.inPlace === null
  const spare = !replacing && (outlook.inPlace?.counts['in-place-with-spare'] ?? 0) > 0 ? 1 : 0
  const added = (outlook.inPlace ?? outlook.replace).added ?? 0
  return withMissing(withMissing(hull, spare, PAGE_CELLS, 'the spare machine'), added, PAGE_CELLS)
}
