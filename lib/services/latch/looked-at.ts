import { ServiceError } from '../errors'
import type { LatchTarget } from './target'

/**
 * What is governed is written over what was looked at only. Asked before anything is looked at: that may write down which pools there
 * are. Under the latch's lock, for which everybody waits who chooses.
 */
export function requireLookedAt({ cluster }: Pick<LatchTarget, 'cluster'>, version: number | undefined): void {
  if (version === undefined || version === (cluster.policy?.version ?? 0)) return
  throw new ServiceError('conflict', `What is governed in ${cluster.name} was changed while you were looking at it.`, {
    hint: 'Close this, look at what is governed now, and choose again. Nothing was changed.',
  })
}
