import type { KubeObject } from '@/lib/kubernetes/types'
import type { OwnPause } from '@/lib/domain/rows'
import { at } from '../fields'
import { byWhom } from '../written-by'

export const PAUSED = 'cluster.x-k8s.io/paused'
const HELD = 'drydock.dev/held'
/** Value of the paused annotation where Drydock's latch set it; any other value is somebody else's pause. */
const OURS = 'drydock'

/** Who pauses an object: Drydock's latch (`held`: why), or a person or another tool (`paused`). */
export function pauseOf(object: KubeObject): { held: string | null; paused: boolean; ownPause: OwnPause | null } {
  const annotations = object.metadata.annotations ?? {}
  const annotated = PAUSED in annotations
  const held = annotated && annotations[PAUSED] === OURS && HELD in annotations
  const [annotation, spec] = [annotated && !held, at(object.spec, 'paused') === true]
  return {
    held: held ? annotations[HELD]! || 'held by Drydock' : null,
    paused: annotation || spec,
    ownPause:
      annotation || spec
        ? {
            ...{ annotation, spec, guarded: HELD in annotations || annotations[PAUSED] === OURS },
            ...(annotation ? byWhom(object, 'metadata', 'annotations', PAUSED) : byWhom(object, 'spec', 'paused')),
          }
        : null,
  }
}
