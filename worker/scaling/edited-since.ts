import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { specWrittenSince } from '@/lib/providers/cluster-api'
import { clientSource, refOf } from '@/lib/providers/cluster-api/changes'
import { templateOf } from '@/lib/providers/cluster-api/changes/whole'
import type { ClusterView } from '../types'

/** Whoever edits a template for a change may do so right before it. */
const BEFORE_MS = 60_000

/**
 * Why new machines of a machine set may be made with what nobody has approved: Cluster API makes them by what its templates say then, and
 * one of these was edited since its group is held. Null: that is not so, as far as managed fields tell.
 */
export async function editedSince(view: ClusterView, set: KubeObject, held: Date): Promise<string | null> {
  const { client, capabilities } = view
  const source = clientSource({ client, resources: capabilities.resources, letGo: () => Promise.resolve(null) })
  const spec = templateOf(set)
  for (const ref of [refOf(spec, 'bootstrap', 'configRef'), refOf(spec, 'infrastructureRef')]) {
    if (!ref) continue
    const named = `${ref.kind} ${ref.name}`
    try {
      const template = await source.template(ref, set.metadata.namespace ?? '')
      if (template && specWrittenSince(template, held.getTime() - BEFORE_MS))
        return `${named} was edited since its change came, or right before it: new machines would be made by that, and nobody has approved it.`
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 403)) throw error
      return `Drydock may not read ${named}: whether it was edited since its change came is not known.`
    }
  }
  return null
}
