import { clusterLiveness } from '@/lib/db/queries/shell'
import { POOL } from '@/lib/domain/latch/hold'
import type { PoolsHeld } from '@/lib/domain/latch/parts'
import type { PoolsNow } from '@/lib/domain/latch/pool-words'
import { asItIs, type LatchPart, type LatchStateName, type LatchStatus } from './status'
import { watchNow } from './watch-now'

interface Held {
  latchForm: string
  latchStatus: unknown
  policy: { pools: string | null } | null
}

/** Pools that are to be latched in the same write are held by pausing as long as that is not there. */
function poolsHeldBy({ latchStatus, policy }: Omit<Held, 'latchForm'>): PoolsHeld {
  const part = (latchStatus as LatchStatus | null)?.parts?.pools
  const missing = part !== undefined && ['missing', 'not-ours'].includes(part.state)
  return policy?.pools === 'same-write' && !missing ? 'same-write' : 'pausing'
}

/** What is known to hold them at this moment, by the last look: what was chosen says only how they are to be held. */
export function poolsHeldNow({ latchStatus, policy, watchSince }: Omit<Held, 'latchForm'> & Watched): PoolsNow {
  const state = stateOfPools(latchStatus as LatchStatus | null)
  if (policy?.pools !== 'same-write') return 'pausing'
  if (HOLDS.includes(state)) return 'same-write'
  if (watchSince !== null) return 'pausing'
  return HOLDS_NOT.includes(state) ? 'lost' : 'not-known'
}

/** As it should be; or it refuses every such write. */
const HOLDS: LatchStateName[] = ['intact', 'unreachable']
const HOLDS_NOT: LatchStateName[] = ['missing', 'not-ours', 'ineffective']

/** Where the cluster could not be asked, the parts are of the look before. */
const stateOfPools = (status: LatchStatus | null): LatchStateName => (status ? partOfPools(status).state : 'unknown')
const partOfPools = (status: LatchStatus): LatchPart =>
  status.state === 'unknown' ? status : (status.parts?.pools ?? status)

/** What the cluster's page says of what is to latch its pools in the same write, where that is not as it should be. */
export async function poolsTrouble(clusterId: string, { latchForm, latchStatus }: Held): Promise<string | null> {
  const { away = null } = (await clusterLiveness()).find(({ id }) => id === clusterId) ?? {}
  const now = asItIs(latchForm, latchStatus as LatchStatus | null, await watchNow(clusterId), away)
  const part = now && partOfPools(now)
  return part === null || part.state === 'intact' ? null : part.message.replace(/^Pools: /, '')
}

interface Watched {
  watchSince: Date | null
}

/** By which form of the latch a group of this kind is held: what is paused beside a latch is watched. */
export function formOf(kind: string, cluster: Held): string {
  const { latchForm } = cluster
  return kind === POOL && latchForm !== 'none' && poolsHeldBy(cluster) === 'pausing' ? 'watch' : latchForm
}
