import { gatesFor, type Capabilities } from '@/lib/domain/capabilities'
import { isHeld, isPool } from '@/lib/domain/latch/hold'
import type { KubeObject } from '@/lib/kubernetes/types'
import { pauseOf } from '@/lib/providers/cluster-api'
import { poolPauseOf } from '@/lib/providers/openshift/pools'

export { isHeld }

/** `hook`: the group does not want it yet; Cluster API asks before it hands its Cluster's version down to it. */
export type Hold = 'latch' | 'gate' | 'hook' | 'person' | 'none'

/** What keeps the group from moving. `gateAsked`: Cluster API would ask the gate about what is pending. */
export function holdOf({ gates }: Pick<Capabilities, 'gates'>, group: KubeObject, gateAsked: boolean): Hold {
  const { held, paused } = isPool(group) ? poolPauseOf(group) : pauseOf(group)
  if (held !== null || isHeld(group)) return 'latch'
  if (paused) return 'person'
  if (isPool(group)) return 'none'
  const off = gatesFor(gates, group.kind).some(({ state }) => state === 'off')
  return gateAsked && !off ? 'gate' : 'none'
}
