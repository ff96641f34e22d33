import { GATE_ALONE } from '@/lib/domain/latch/gate-alone'
import { bearsOurMark } from '@/lib/domain/latch/diff'
import { resourcePath } from '@/lib/kubernetes/paths'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { ClusterId } from '../clusters/schemas'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { heldObjects } from './held-objects'
import { findLatchObjects, resourceOf } from './resources'
import { latchTarget, needsNoLook } from './target'
import { withUnnamed } from './unnamed'

export interface LatchRemovalPlan {
  /** Held now: stays paused, but unguarded. Removing asks for exactly this list. */
  held: string[]
  /** The calls that would be made, verbatim. */
  calls: string[]
  sentences: string[]
}

/** What removing the latch would delete, and what it would leave paused but unguarded. Changes nothing. */
export async function planRemoveLatch(ctx: Ctx, input: unknown): Promise<LatchRemovalPlan> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId } = parseInput(ClusterId, input)
  const { cluster } = await latchTarget(clusterId, { governs: 'none' })
  try {
    const client = await kubeClientFor(clusterId)
    const capabilities = await withUnnamed(client, cluster)
    const [held, found] = await Promise.all([
      heldObjects(client, capabilities),
      findLatchObjects(client, capabilities.latch.policy ?? 'v1', needsNoLook(cluster)),
    ])
    const ours = found.filter(bearsOurMark)
    const but = cluster.gateState === 'registered' ? ', but for what Cluster API asks the update gate about' : ''
    return {
      held,
      calls: ours.map((object) => `DELETE ${resourcePath(resourceOf(object), undefined, object.metadata.name)}`).sort(),
      sentences: [
        cluster.latchForm === 'watch'
          ? `From then on Drydock pauses nothing new here: every change of a group goes ahead by itself${but}.`
          : `From then on the API server holds nothing new here: every change of a group goes ahead by itself${but}.`,
        held.length > 0
          ? cluster.latchForm === 'watch'
            ? 'What is held stays paused, and anybody who may edit a group can release it, as before.'
            : 'What is held stays paused, but its guard goes: anybody who may edit a group can release it, and its machines then move unapproved.'
          : 'Nothing is held now.',
        `An update that is under way goes on.${but && ' The update gate stays registered.'}`,
        ...(but ? GATE_ALONE : []),
      ],
    }
  } catch (error) {
    if (!(error instanceof KubeError) && !(error instanceof KubeUnreachable)) throw error
    const code = error instanceof KubeError ? 'refused' : 'unavailable'
    throw new ServiceError(code, 'What removing would do could not be asked.', { answer: error.message })
  }
}
