import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { Blocking } from '@/lib/services/changes/held-scaling'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import { comes } from './moves'

type Change = Pick<ChangeDto, 'state' | 'outlook'> & { blockedBy?: Blocking | null }

/** What of its control plane people have to decide before the machines of this can move, of what is not asked about itself any more; null: nothing. */
export function shownPlane(
  { state, outlook, blockedBy }: Change,
  listed: Pick<ListedStanding, 'due' | 'goes' | 'way'> | null | undefined,
): Blocking | null {
  if (!blockedBy || (state !== 'waiting' && state !== 'rejected')) return blockedBy ?? null
  if (!listed?.due && !(listed?.goes && state === 'waiting')) return null
  return blockedBy.first || comes(outlook, listed.way) ? blockedBy : null
}

/** What to do about it, behind the link to it or as its text. */
export const wayOutOf = ({ begun, helps }: Blocking): string =>
  begun ? 'decide the rest of that first' : `decide that first${helps ? ', or let worker groups grow there' : ''}`
