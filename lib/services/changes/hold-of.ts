import { gatesFor, type Capabilities } from '@/lib/domain/capabilities'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { pauseOf } from '@/lib/providers/cluster-api'

/** Held, also where the pause is somebody else's: the guard keeps both. */
export const isHeld = (group: KubeObject): boolean => {
  const annotations = group.metadata.annotations ?? {}
  return HELD in annotations && PAUSED in annotations
}

/** `hook`: the group does not want it yet; Cluster API asks before it hands its Cluster's version down to it. */
export type Hold = 'latch' | 'gate' | 'hook' | 'person' | 'none'

/** What keeps the group from moving. `gateAsked`: Cluster API would ask the gate about what is pending. */
export function holdOf({ gates }: Pick<Capabilities, 'gates'>, group: KubeObject, gateAsked: boolean): Hold {
  const { held, paused } = pauseOf(group)
  if (held !== null || isHeld(group)) return 'latch'
  if (paused) return 'person'
  const off = gatesFor(gates, group.kind).some(({ state }) => state === 'off')
  return gateAsked && !off ? 'gate' : 'none'
}
