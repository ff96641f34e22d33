import type { Change } from '@/lib/db/generated/client'
import type { MachineNow, Progress } from './progress'

/** For so long what nobody says is waited for: whether a machine that has its node is Ready may not be known. */
const UNKNOWN_MS = 20 * 60_000

export const isWell = ({ ready, node, notReadySince }: MachineNow, throughAt: Date, now: Date): boolean =>
  ready || (node !== null && notReadySince === null && now.getTime() - throughAt.getTime() > UNKNOWN_MS)

/** It was updated, or made, and was not Ready since; but what failed so, and was accepted, keeps nothing waiting. */
export function isAwaited(row: Progress | undefined, { failuresFrom }: Pick<Change, 'failuresFrom'>): boolean {
  if (!row?.startedAt || row.readyAt || !['done', 'created'].includes(row.state)) return false
  return !isForgiven(row, failuresFrom)
}

export const UNPROVEN =
  'No machine of it is left, and none that it updated or made was Ready before: nobody knows whether it is well.'
/** Scaled to nothing in the middle, or deleted by others; what was to be deleted by it proves nothing. */
export function isUnproven(rows: readonly Progress[], { failuresFrom }: Pick<Change, 'failuresFrom'>): boolean {
  const tried = rows.filter(({ startedAt, predicted }) => startedAt !== null && predicted !== 'replace')
  return (
    tried.length > 0 &&
    !tried.some(({ readyAt }) => readyAt) &&
    !(failuresFrom && tried.every(({ deletingAt }) => deletingAt && deletingAt <= failuresFrom))
  )
}

const isForgiven = (row: Progress | undefined, failuresFrom: Date | null): boolean =>
  !!failuresFrom && !!row?.failedAt && row.failedAt <= failuresFrom

/** It was made, by whatever, and its node is waited for. */
export const comesUp = ({ id, state }: MachineNow, rows: ReadonlyMap<string, Progress>, change: Change): boolean =>
  state === 'provisioning' && !isForgiven(rows.get(id), change.failuresFrom)
