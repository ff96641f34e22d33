import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { isFree } from './standing-words'

type Of = Pick<UpdateDetail, 'groupKind' | 'heldBy' | 'governance'>

/** What becomes of the changes of a group that is not governed. `isHeld`: this one is held still. */
export function ungovernedWords({ heldBy, groupKind, governance }: Of, isHeld: boolean): string {
  if (isHeld && heldBy === 'gate')
    return 'the latch does not hold it. Its changes wait where Cluster API asks the update gate, until somebody decides.'
  const asked = governance !== null && !isFree({ groupKind, governance })
  const changes = asked
    ? 'its changes wait only where Cluster API asks the update gate'
    : 'its changes go ahead by themselves'
  return isHeld && heldBy === 'latch'
    ? `what comes next waits as well for as long as it is held; once it is let go, ${changes}.`
    : `${changes}.`
}
