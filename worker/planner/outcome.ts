import type { Change } from '@/lib/db/generated/client'
import { removesAny, wentByOthers } from '@/lib/domain/changes/by-others'
import { outlookIn, type ChangeOutcome } from '@/lib/services/changes/change-row'
import { WENT_LATE } from '@/lib/services/changes/late-hold'
import type { Progress, Step } from './progress'
import { madeSince } from './while-held'

interface Planned {
  created: number
  /** With it fewer machines are wanted. */
  removes: boolean
  /** Known by then as made for what others deleted: what is left of a change held in the middle counts them no more. */
  madeUp: number
  /** Of a control plane that was approved in place: how many of those made are beyond what was foretold, whoever went. */
  beyond?: (made: readonly Progress[]) => number
}
const NOT_KNOWN: Planned = { created: Infinity, removes: false, madeUp: 0 }

/** It was made, and Ready once. */
export const isMade = ({ state, throughAt, finishedAt }: Progress): boolean =>
  state === 'created' && (throughAt ?? finishedAt) !== null

/** How many of what is made were planned: held, its rollout makes none, so that those since take the place of others. */
export function plannedWhileHeld(
  change: Change,
  { known, all, heldAt }: { known: readonly Progress[]; all: readonly Progress[]; heldAt: Date },
): number {
  const counted = known.filter((row) => isMade(row) && madeSince(row, heldAt)).length
  const madeUpBy = Math.max(0, madeUpBefore(change) - counted)
  return all.filter((row) => isMade(row) && !madeSince(row, heldAt)).length - madeUpBy
}

export const madeUpBefore = ({ outcome }: Pick<Change, 'outcome'>): number =>
  (outcome as ChangeOutcome | null)?.madeUp ?? 0

/**
 * What became of the machines so far. A machine is created when it is up, or when nothing is left to be done (`over`). What is made
 * beyond what was planned makes up for what others deleted, as far as that goes.
 */
export function outcomeOf(rows: Progress[], over: boolean, planned: Planned = NOT_KNOWN): ChangeOutcome {
  const count = (...states: Step[]) => rows.filter((row) => states.includes(row.state)).length
  // Of what is not over, or was overtaken, nobody looks any more whether it came back.
  const isLate = ({ state, failedAt, readyAt }: Progress) =>
    (state === 'done' || state === 'created') && failedAt && !readyAt
  const late = over ? rows.filter(isLate).length : 0
  // What went before anything was approved, or before it was written, is no deed of this change.
  const isDeed = ({ state, wentBy, message }: Progress) =>
    wentBy !== 'before' && (state === 'deleting' || (state === 'deleted' && message !== WENT_LATE))
  const goes = rows.filter(({ state, wentBy }) => (state === 'deleted' || state === 'deleting') && wentBy !== 'before')
  const remediated = goes.filter(({ illAt, startedAt }) => illAt && startedAt).length
  const isOthers = ({ message, illAt, ...row }: Progress) =>
    wentByOthers({ ...row, ill: !!illAt, message }, planned.removes)
  const byOthers = goes.filter(isOthers).length
  const going = goes.filter(({ state }) => state === 'deleting')
  const deleting = going.filter((row) => !row.illAt && !isOthers(row)).length
  const byOthersDeleting = going.filter(isOthers).length
  const made = rows.filter((row) => (over ? row.state === 'created' : isMade(row)))
  const created = made.length
  const beyond = planned.beyond?.(made)
  const madeUp = Math.min(
    beyond === undefined ? byOthers + remediated : created,
    created,
    Math.max(planned.madeUp, beyond ?? created - planned.created),
  )
  return {
    // What had nothing to do is done, too, but never started.
    updatedInPlace: rows.filter((row) => row.state === 'done' && row.startedAt !== null).length,
    created,
    deleted: rows.filter(isDeed).length,
    failed: count('failed'),
    ...(deleting > 0 ? { deleting } : {}),
    ...(remediated > 0 ? { remediated } : {}),
    ...(byOthers > 0 ? { byOthers } : {}),
    ...(byOthersDeleting > 0 ? { byOthersDeleting } : {}),
    ...(madeUp > 0 ? { madeUp } : {}),
    ...(late > 0 ? { late } : {}),
  }
}

/** Of what nothing is foretold for any more: what makes up for what others deleted is known from before. */
export function outcomeAgain(change: Pick<Change, 'outlook' | 'outcome'>, rows: Progress[]): ChangeOutcome {
  const before = change.outcome as ChangeOutcome | null
  const created = before?.madeUp ? before.created - before.madeUp : Infinity
  return outcomeOf(rows, false, { created, removes: removesAny(outlookIn(change)), madeUp: madeUpBefore(change) })
}
