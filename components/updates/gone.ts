import { isBound } from '@/lib/domain/changes/bound'
import { isMore } from '@/lib/domain/pools/progress'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { DecisionMode, DecisionState } from '@/lib/services/changes/change-row'
import { ENDED_WHY } from './ended-words'
import { decidedSentence, stateOf } from './words'

type Now = Pick<UpdateDetail, 'state' | 'fingerprint' | 'heldBy' | 'decision' | 'newer' | 'ended' | 'groupKind'> &
  Partial<Pick<UpdateDetail, 'outlook' | 'configs'>>

export interface Gone {
  message: string
  hint?: string
  /** The change to look at instead; `same`: this one, as it is now. */
  instead: { id: string } | 'same' | null
}

/** Why what an open sheet shows can no longer be decided; null: it still can. */
export function goneOf(
  change: Now,
  looked: {
    fingerprint: string
    mode: DecisionMode
    replicas?: number | undefined
    deletions?: number | undefined
    maxUnavailable?: string | undefined
    configs?: string | null | undefined
  },
): Gone | null {
  const { state, newer, decision } = change
  if (state === 'superseded') {
    if (newer)
      return {
        message: 'A newer change took the place of this one.',
        hint: `The newest change of the group is ${newer.summary}.`,
        instead: newer,
      }
    return {
      message: `Meanwhile ${ENDED_WHY[change.ended ?? 'deleted']}: nothing is left to decide.`,
      instead: null,
    }
  }
  if (state === 'reverted') return { message: 'It was changed back: nothing is left to decide.', instead: newer }
  const open = state === 'waiting' || (state === 'rejected' && looked.mode !== 'reject')
  if (!open) {
    return {
      message:
        decision && decision.state !== 'voided'
          ? `${decidedSentence(decision)} meanwhile.`
          : `It is no longer held: ${stateOf(change).words.toLowerCase()}.`,
      instead: newer ?? 'same',
    }
  }
  if (change.fingerprint !== looked.fingerprint)
    return { message: 'The change is another one now.', hint: 'Nothing was decided.', instead: 'same' }
  if (looked.mode !== 'reject' && looked.configs !== undefined && change.configs !== looked.configs)
    return {
      message: 'The configuration of its machines was edited meanwhile.',
      hint: 'Nothing was decided.',
      instead: 'same',
    }
  const [then, wanted] = [looked.replicas, change.outlook?.replicas]
  if (looked.mode !== 'reject' && then !== undefined && wanted !== undefined && wanted < then)
    return {
      message: `Fewer machines are wanted by now: ${wanted}, and ${then} when this was opened.`,
      hint: 'More of them would be deleted than is shown here. Nothing was decided.',
      instead: 'same',
    }
  const pool = change.outlook?.pool
  if (
    looked.mode !== 'reject' &&
    looked.maxUnavailable &&
    pool?.limit &&
    isMore(pool.limit, looked.maxUnavailable, pool.machines ?? 0)
  )
    return {
      message: `More nodes would go at once by now: maxUnavailable is ${pool.limit}, and was ${looked.maxUnavailable} when this was opened.`,
      hint: 'The pool was written to since. Nothing was decided.',
      instead: 'same',
    }
  const deleted = deletedIn(change, looked.mode)
  if (isBound(change.groupKind, looked.mode) && looked.deletions !== undefined && deleted > looked.deletions)
    return {
      message: `${deleted === 1 ? '1 machine' : `${deleted} machines`} would be deleted by now, and ${looked.deletions || 'none'} when this was opened.`,
      hint: 'Machines were marked since, or came, or are not available. Nothing was decided.',
      instead: 'same',
    }
  return null
}

/**
 * Why what was decided in an open sheet no longer speaks; null: it does. Of a decision that was made here it is no news that it was
 * made; an approval that waits for others ends with its change. `gone`: as goneOf has it.
 */
export function lostOf(
  decided: { state: DecisionState; mode?: DecisionMode; heldAgain?: boolean },
  { state, dueMode }: Pick<Now, 'state'> & { dueMode?: string | null },
  gone: Gone | null,
): Gone | null {
  if (decided.state === 'voided') {
    if (gone || !decided.heldAgain) return gone ?? VOID
    // After the first machine it waits for the next one, and what it was approved with stands.
    return dueMode === decided.mode ? null : HELD
  }
  return decided.state === 'gathering' && (state === 'superseded' || state === 'reverted') ? gone : null
}
const HELD: Gone = { message: 'Its group is held again: nothing more of it goes by this decision.', instead: 'same' }
const VOID: Gone = { message: 'This decision no longer speaks: the change is another one now.', instead: 'same' }

/** How many machines are deleted in this way, as is said of it now. */
export function deletedIn({ outlook }: Pick<Now, 'outlook'>, mode: DecisionMode): number {
  if (mode === 'reject') return 0
  return (mode === 'in-place' ? outlook?.inPlace?.deleted : outlook?.replace.deleted) ?? 0
}
