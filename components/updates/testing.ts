import type { ChangeDto } from '@/lib/services/changes/change-row'

/** What one of three changes would do, as far as words need it. */
export const spare = { counts: { 'in-place-with-spare': 2, replace: 1 }, created: 1, deleted: 1 }
export const decided = (mode: string, state = 'seen') => ({ mode, state, actorName: 'Ada' }) as ChangeDto['decision']
export const change = (part: Partial<ChangeDto>): ChangeDto =>
  ({
    state: 'waiting',
    groupName: 'workers-a',
    stuckReason: null,
    outcome: null,
    decision: null,
    outlook: {
      inPlace: { ...spare, headline: '2 machines of workers-a would be updated in place.' },
      replace: { counts: { replace: 3 }, created: 3, deleted: 3, headline: '3 machines would be replaced.' },
      uncovered: [],
    },
    ...part,
  }) as ChangeDto
