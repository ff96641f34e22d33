import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
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
      const since = held.getTime() - BEFORE_MS
      if (template && (specWrittenSince(template, since) || isMadeAnew(template, set, since)))
        return `${named} was edited since its change came, or right before it: new machines would be made by that, and nobody has approved it.`
    } catch (error) {
      if (!(error instanceof KubeError || error instanceof KubeUnreachable)) throw error
      const why = error instanceof KubeError && error.code === 403 ? 'may not' : 'cannot'
      return `Drydock ${why} read ${named}: whether it was edited since its change came is not known.`
    }
  }
  return null
}

/** Another object of that name: its machine set is older. */
const isMadeAnew = (template: KubeObject, set: KubeObject, since: number): boolean =>
  Date.parse(template.metadata.creationTimestamp) > Math.max(since, Date.parse(set.metadata.creationTimestamp))
