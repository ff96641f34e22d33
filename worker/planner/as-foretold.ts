import type { Change } from '@/lib/db/generated/client'
import type { Verdict } from '@/lib/domain/verdict'
import { outlookIn } from '@/lib/services/changes/change-row'
import type { MachineNow, Progress } from './progress'

export interface Foretold {
  /** With what was dealt with before. */
  deleted: number
  /** Of those: for a spare that comes first. */
  spare: number
  /** So many were made before. */
  made: number
}

/** What was foretold when it was approved in place. */
export function foretoldIn(change: Pick<Change, 'outlook'>): Foretold {
  const { before, inPlace } = outlookIn(change)
  return {
    deleted: (before?.deleted ?? 0) + (inPlace?.deleted ?? 0),
    ...{ spare: inPlace?.spare ?? 0, made: before?.created ?? 0 },
  }
}

interface Going {
  way: string | null | undefined
  /** What was not well of it. */
  unwell?: string | null | undefined
  /** The ways of those that are there, by name. */
  ways: ReadonlyMap<string, Verdict>
}

const isGone = ({ state }: Progress): boolean => state === 'deleting' || state === 'deleted'
/** As was foretold, by what is known so far. */
export const wentForetold = (row: Progress): boolean => isGone(row) && row.wentBy === 'rollout' && !row.illAt

/**
 * Whether one more machine of a control plane goes as was foretold: as many as were to be deleted, and of those that are to go in place the
 * one that a spare is made for once that is up. Who deletes any other nobody outside can tell: its manager, which takes first what is
 * ill, or somebody. The one that was to go does so as foretold, whichever went before (give-way.ts); one that was ill, and was not to go,
 * does not while that one is there.
 */
export function goesAsForetold(
  rows: Iterable<Progress>,
  { deleted, spare, made }: Foretold,
  isUp: (row: Progress) => boolean,
  { way, unwell, ways }: Going,
): boolean {
  const all = [...rows]
  const went = all.filter(wentForetold)
  if (way === 'replace') return went.length < deleted || went.some(({ predicted }) => predicted !== 'replace')
  const isToGo = ({ predicted, machineName }: Progress) => (predicted ?? ways.get(machineName)) === 'replace'
  if (unwell && all.some((row) => isToGo(row) && !isGone(row))) return false
  const spares = Math.max(0, all.filter((row) => row.state === 'created' && isUp(row)).length - made)
  return went.length < deleted - spare + Math.min(spare, spares)
}

/** It was to change, and nothing of that had begun. `removes`: fewer are wanted, and what was updated may be one too many. */
export const mayBeForetold = (row: Progress | undefined, way: string | null | undefined, removes: boolean): boolean => {
  const foretold = row?.predicted ?? way ?? (row?.state === 'waiting' ? 'in-place' : 'up-to-date')
  return removes || (foretold !== 'up-to-date' && !row?.startedAt)
}

/**
 * What was to become of a control plane machine that goes, and is planned no more by that: it tells nothing of what had begun there. Of one
 * that was not looked at since it was let go, its verdict tells, which is as old.
 */
export function wayOfGoing({ deleting, verdict }: MachineNow, row: Progress | undefined): Verdict | undefined {
  if (!deleting || !row) return undefined
  if (row.predicted !== null) return row.predicted as Verdict
  if (row.state !== 'waiting') return undefined
  return verdict === null || verdict === 'up-to-date' ? 'in-place' : (verdict as Verdict)
}

/** Of those made, how many are beyond what was foretold when it was let go, `since`. */
export function madeBeyond(
  made: readonly Progress[],
  machines: ReadonlyMap<string, Pick<MachineNow, 'createdAt'>>,
  { outlook }: Pick<Change, 'outlook'>,
  since: number,
): number {
  const isNew = ({ machineId }: Progress) => (machines.get(machineId)?.createdAt.getTime() ?? 0) >= since
  return Math.max(0, made.filter(isNew).length - (outlookIn({ outlook }).inPlace?.created ?? 0))
}
