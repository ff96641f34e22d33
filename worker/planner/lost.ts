import type { RevisionPair } from '@/lib/domain/changes'
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
 * What was approved replacing is that change still where an old template is gone, or there again, and is told otherwise by that; as long
 * as the whole of what its machines shall be is known to be the same.
 */
export function lostOnly(open: Row): (now: RevisionPair) => boolean {
  const before = new Map(replaces(open) ? changeSetOf(open).pairs.map((pair) => [pair.from, pair]) : [])
  return (now) => {
    const was = before.get(now.from)
    return was !== undefined && (was.lost ?? now.lost) !== undefined && isSameWhole(was, now)
  }
}

const isSameWhole = (was: RevisionPair, now: RevisionPair): boolean =>
  now.templates !== undefined &&
  was.templates === now.templates &&
  was.config?.digest === now.config?.digest &&
  was.config?.apiVersion === now.config?.apiVersion
