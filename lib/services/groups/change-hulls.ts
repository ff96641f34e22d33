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

/** Before it begins, an update in place with a spare shows the machine that is not there yet. */
export function withSpares(hull: HullData, change: Pick<ChangeDto, 'state' | 'decision' | 'outlook'>): HullData {
  const { state, decision, outlook } = change
  const before = state === 'waiting' || state === 'rejected' || state === 'approved'
  const replacing = state === 'approved' && decision?.mode === 'replace'
  const spared = (outlook.inPlace?.counts['in-place-with-spare'] ?? 0) > 0
  if (!before || !spared || replacing) return hull
  return withMissing(hull, outlook.inPlace?.created ?? 0, PAGE_CELLS, 'the spare machine')
}
