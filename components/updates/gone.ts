import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import { decidedSentence, ENDED_WHY, stateOf } from './words'

type Now = Pick<UpdateDetail, 'state' | 'fingerprint' | 'heldBy' | 'decision' | 'newer' | 'ended'> &
  Partial<Pick<UpdateDetail, 'outlook'>>

export interface Gone {
  message: string
  hint?: string
  /** The change to look at instead; `same`: this one, as it is now. */
  instead: { id: string } | 'same' | null
}

/** Why what an open sheet shows can no longer be decided; null: it still can. */
export function goneOf(
  change: Now,
  looked: { fingerprint: string; mode: DecisionMode; replicas?: number | undefined; spares?: number | undefined },
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
  const [then, wanted] = [looked.replicas, change.outlook?.replicas]
  if (looked.mode !== 'reject' && then !== undefined && wanted !== undefined && wanted < then)
    return {
      message: `Fewer machines are wanted by now: ${wanted}, and ${then} when this was opened.`,
      hint: 'More of them would be deleted than is shown here. Nothing was decided.',
      instead: 'same',
    }
  const spares = change.outlook?.inPlace?.spare ?? 0
  if (looked.mode === 'in-place' && looked.spares !== undefined && spares > looked.spares)
    return {
      message: `By now ${spares === 1 ? 'a spare comes' : `${spares} spares come`} first, and ${spares === 1 ? 'a machine is' : 'as many machines are'} deleted.`,
      hint: 'More machines are not available than when this was opened. Nothing was decided.',
      instead: 'same',
    }
  return null
}
