import { POOL } from '../latch/hold'
import type { Outlook } from './types'

interface Waiting {
  groupKind: string
  state: string
  stopped?: unknown
  decision?: { state: string } | null
  outlook: Pick<Outlook, 'inPlace' | 'before'>
}

/**
 * A configuration of a pool that none of its nodes lacks now, as that of the empty worker pool of a compact cluster: it is held for
 * whichever node comes, no machine waits for it, and nobody is asked before one does.
 */
export const movesNobody = ({ groupKind, state, stopped, decision, outlook }: Waiting): boolean =>
  groupKind === POOL &&
  (state === 'waiting' || state === 'rejected') &&
  !stopped &&
  decision?.state !== 'failed' &&
  outlook.inPlace?.counts !== undefined &&
  !outlook.inPlace.counts['in-place'] &&
  !outlook.before
