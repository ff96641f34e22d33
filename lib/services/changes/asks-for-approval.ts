import { asksNobody } from '@/lib/domain/changes/asks-nobody'
import type { ChangeDto } from './change-row'
import type { ListedStanding } from './listed-standing'

/** It waits for somebody to approve it. What is not governed, or somebody paused without that, asks nobody. */
export const asksForApproval = (
  { state, heldBy }: Pick<ChangeDto, 'state' | 'heldBy'>,
  standing: Pick<ListedStanding, 'due' | 'goes'> | null,
): boolean =>
  (state === 'waiting' || state === 'rejected') &&
  !asksNobody({ heldBy }, standing) &&
  !(standing?.due || standing?.goes)
