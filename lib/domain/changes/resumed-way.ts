import type { Way } from '../control-plane'

/**
 * How a change goes on once its pause is over. `last`: what was decided last, where it is not held again yet. Null: by that nothing goes,
 * as something else holds it (a stop, or a step), or nobody let it go.
 */
export function resumedWay({
  isHeld,
  dueMode,
  last,
}: {
  isHeld: boolean
  dueMode: string | null
  last: string | null
}): Way | null {
  const way = isHeld ? null : (dueMode ?? last)
  return way === 'in-place' || way === 'replace' ? way : null
}
