import type { ChangeDto, DecisionDto } from '@/lib/services/changes/change-row'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'

/** Its time has come, and it could not be sent then: it is tried again by itself. Null: that is not what it waits for. */
export const triedOf = (
  { state, decision }: Pick<ChangeDto, 'state' | 'decision'>,
  standing: Pick<ListedStanding, 'due' | 'timing'> | null | undefined,
): (DecisionDto & { triedAt: string }) | null =>
  state === 'waiting' && standing?.due && standing.timing.open && decision?.triedAt
    ? { ...decision, triedAt: decision.triedAt }
    : null
