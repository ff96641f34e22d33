import { changeHulls as query } from '@/lib/db/queries/hulls'
import { mergeCounts, withMissing, type HullCell, type HullCount, type HullData } from '@/lib/domain/hull'
import type { Outlook } from '@/lib/domain/changes'
import { spareComes } from '@/lib/domain/changes/machines-of'
import type { ChangeDto } from '../changes/change-row'
import { isForbidden } from '@/lib/domain/policies'
import { ABLE } from '@/lib/domain/verdict'
import { requirePermission, type Ctx } from '../context'

/** Cells that a row can hold, and a page. */
export const ROW_CELLS = 48
export const PAGE_CELLS = 200

/** The hulls of changes, by the change's id. */
export async function changeHulls(ctx: Ctx, ids: string[], most: number): Promise<Record<string, HullData>> {
  requirePermission(ctx, 'fleet:read')
  return Object.fromEntries(await query(ids, most))
}

type Shown = Pick<ChangeDto, 'state' | 'decision' | 'outlook'>
type Way = 'in-place' | 'replace'
type Spoken = { way: Way; forbidden: string | null } | null | undefined
const BEFORE = ['waiting', 'rejected', 'approved']

/**
 * Before it begins, an update shows the machines that are not there yet: a spare, and what is wanted besides. `standing`: as policies
 * would have it, or as it is approved and waits.
 */
export function withSpares(hull: HullData, change: Shown, standing: Spoken = null): HullData {
  const way = standing?.way ?? null
  const { state, decision, outlook } = change
  if (!BEFORE.includes(state)) return hull
  if (isForbidden(change, standing)) return marked(hull, (mark) => isAble(mark) || mark === 'replace', 'blocked')
  const replacing = (state === 'approved' ? decision?.mode : way) === 'replace' || outlook.inPlace === null
  const spare = !replacing && outlook.inPlace && spareComes(outlook.inPlace) ? 1 : 0
  const added = (outlook.inPlace ?? outlook.replace).added ?? 0
  if (!outlook.blocked && onlyGoes((replacing ? null : outlook.inPlace) ?? outlook.replace))
    return marked(hull, (mark) => isAble(mark) || mark === 'replace', 'deleting')
  const shown = isReplacedAnyway(change, way)
    ? marked(hull, isAble, 'replace')
    : replacing || !outlook.inPlace
      ? hull
      : forSpare(hull, outlook.inPlace)
  return withMissing(withMissing(shown, spare, PAGE_CELLS, 'the spare machine'), added, PAGE_CELLS)
}

/** Which of them go for spares nobody knows, and so each is drawn alike; how many do is known, and counted as everywhere else. */
function forSpare(hull: HullData, { spare = 0, forSpares = 0 }: Outlook['replace']): HullData {
  const goes = { replace: spare, deleting: forSpares }
  const counts = hull.counts.flatMap((of): HullCount[] => {
    if (of.mark !== 'in-place-with-spare' || of.done || of.moving) return [of]
    const replace = Math.min(of.count, goes.replace)
    const deleting = Math.min(of.count - replace, goes.deleting)
    return [
      { ...of, count: of.count - replace - deleting },
      { mark: 'replace', count: replace },
      { mark: 'deleting', count: deleting },
    ]
  })
  return { ...hull, counts: mergeCounts(counts) }
}

/** None comes in the place of those that are left, for as many as are wanted are up to date. */
const onlyGoes = ({ counts, created, deleted, removed = 0 }: Outlook['replace']): boolean =>
  created === 0 &&
  deleted > 0 &&
  deleted === removed &&
  Object.keys(counts).every((verdict) => verdict === 'up-to-date')

/** It waits, and is to be replaced, whatever updaters could do. */
export const isReplacedAnyway = ({ state, outlook }: Shown, way: Way | null): boolean =>
  way === 'replace' &&
  (state === 'waiting' || state === 'rejected') &&
  !outlook.blocked &&
  (outlook.inPlace !== null || outlook.unknown !== undefined)

/** Whether a verdict speaks of what updaters could do. */
export const isAble = (verdict: string | null): boolean => ABLE.some((one) => one === verdict)

/** What is under way, or ill, is not for anybody to choose. */
function marked(hull: HullData, which: (mark: string) => boolean, mark: HullCell['mark']): HullData {
  const replaced = <C extends HullCount | HullCell>(cell: C): C =>
    which(cell.mark) && !cell.moving && !cell.done ? { ...cell, mark } : cell
  const cells = hull.cells?.map((cell) => {
    const { note, ...rest } = replaced(cell)
    return rest.mark === cell.mark && note ? { ...rest, note } : rest
  })
  return { ...hull, cells: cells ?? null, counts: mergeCounts(hull.counts.map(replaced)) }
}
