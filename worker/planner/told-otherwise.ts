import { isRule, sameConfig, type RevisionPair } from '@/lib/domain/changes'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { LETS_GO, UNDER_WAY } from '@/lib/services/changes/states'
import type { Row } from './common'

/** Let go replacing, or approved so and kept for its time: what it replaces has not to be compared any more. */
const replaces = ({ state, dueMode, decisions: [decision] }: Row): boolean =>
  decision
    ? [...UNDER_WAY, 'approved'].includes(state) &&
      decision.mode === 'replace' &&
      LETS_GO.state.in.includes(decision.state)
    : state === 'waiting' && dueMode === 'replace'

/**
 * What was approved replacing is that change still where an old template is gone, or there again, and is told otherwise by that, or where
 * a rule of its group replaces more by now; as long as the whole of what its machines shall be is known to be the same.
 */
export function toldOtherwise(open: Row): (now: RevisionPair) => boolean {
  const before = replaces(open) ? changeSetOf(open).pairs : []
  return (now) =>
    before.some(
      (was) =>
        isSameWhole(was, now) && (isRuled(now) || (was.from === now.from && (was.lost ?? now.lost) !== undefined)),
    )
}

/** By a date goes a change of its own (carry.ts). */
const isRuled = ({ changes, later }: RevisionPair): boolean =>
  !later && changes.length > 0 && changes.every((change) => isRule(change) && change.path !== 'rollout.after')

const isSameWhole = (was: RevisionPair, now: RevisionPair): boolean =>
  now.templates !== undefined && was.templates === now.templates && sameConfig(was.config, now.config)
