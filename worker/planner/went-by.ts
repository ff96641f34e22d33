import type { Change } from '@/lib/db/generated/client'
import { wentByOthers, type WentBy } from '@/lib/domain/changes/by-others'
import type { Verdict } from '@/lib/domain/verdict'
import type { MachineNow, Progress } from './progress'

/** Clocks differ. */
const NEAR_MS = 60_000

/**
 * It was going already when its change was written. What is going as its group is held is not written down then, unless that was held
 * late: what goes there may go by it, as in what was found under way.
 */
export const wentEarly = (
  { deletingSince }: Pick<MachineNow, 'deletingSince'>,
  before: Progress | undefined,
  { detectedAt, firstSeen }: Pick<Change, 'detectedAt' | 'firstSeen'>,
): boolean =>
  !before && !firstSeen && deletingSince !== null && deletingSince.getTime() < detectedAt.getTime() - NEAR_MS

type Judged = Pick<
  Progress,
  'state' | 'predicted' | 'startedAt' | 'throughAt' | 'deletingAt' | 'illAt' | 'wentBy' | 'message'
>

/**
 * By whom it goes, once that can be told: it stays so, whatever is left of its change later. `surely`: nothing that is still to be seen
 * would say that it goes by its rollout after all.
 */
export function judged(row: Judged, removes: boolean, surely: boolean): WentBy | null {
  if (row.state !== 'deleting' && row.state !== 'deleted') return null
  if (row.wentBy) return row.wentBy as WentBy
  if (!wentByOthers({ ...row, ill: !!row.illAt }, removes)) return 'rollout'
  return surely || row.startedAt !== null ? 'others' : null
}

export const isOthers = (wentBy: string | null | undefined): boolean => wentBy === 'others' || wentBy === 'before'

const IN_PLACE = ['in-place', 'in-place-with-spare']
const isInPlace = (way: string | null | undefined): boolean => way != null && IN_PLACE.includes(way)

/**
 * It was to be updated where it stands, or to go for a spare, and nothing is replaced: who deletes it (a health check, or somebody)
 * begins nothing of the rollout. `way`: that of its revision as it is now.
 */
export function isByOthers(
  predicted: string | null | undefined,
  way: Verdict | null | undefined,
  { replaces, removes }: { replaces: boolean; removes: boolean },
): boolean {
  if (replaces) return false
  if (predicted === 'in-place') return true
  return !removes && (predicted === 'in-place-with-spare' || (predicted === 'replace' && isInPlace(way)))
}

/** Of one that is gone, whose revision is not known any more: the way of all. */
export function wayOfAll(predicted: ReadonlyMap<string, Verdict>): Verdict | null {
  const ways = [...predicted.values()].filter((way) => way !== 'up-to-date')
  return ways.length > 0 && ways.every(isInPlace) ? 'in-place' : null
}

/**
 * Nothing of the rollout began there: it had what is wanted, or its health check had found it ill before its turn. In a rollout that
 * replaces, that one is deleted in its turn all the same.
 */
export const isNoneOfIts = (row: Progress, replacing: boolean, removes: boolean): boolean =>
  row.startedAt === null &&
  ((!!row.illAt && !replacing) ||
    // Found going by an earlier look, too.
    (!removes && (row.state === 'done' || (row.state === 'deleting' && row.predicted === 'up-to-date'))))
