import { POOL } from '@/lib/domain/latch/hold'
import type { PoolsHeld } from '@/lib/domain/latch/parts'
import type { LatchStatus } from './status'

interface Held {
  latchForm: string
  latchStatus: unknown
  policy: { pools: string | null } | null
}

/** Pools that are to be latched in the same write are held by pausing as long as that is not there. */
export function poolsHeldBy({ latchStatus, policy }: Omit<Held, 'latchForm'>): PoolsHeld {
  const part = (latchStatus as LatchStatus | null)?.parts?.pools
  const missing = part !== undefined && ['missing', 'not-ours'].includes(part.state)
  return policy?.pools === 'same-write' && !missing ? 'same-write' : 'pausing'
}

/** By which form of the latch a group of this kind is held: what is paused beside a latch is watched. */
export function formOf(kind: string, cluster: Held): string {
  const { latchForm } = cluster
  return kind === POOL && latchForm !== 'none' && poolsHeldBy(cluster) === 'pausing' ? 'watch' : latchForm
}
