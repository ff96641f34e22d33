import type { KubeObject, Resource } from '@/lib/kubernetes/types'
import { auditedRewrite, type About, type Rewritten } from '../planner/audited'
import type { ClusterView } from '../types'

export const DEPLOYMENTS = 'machinedeployments.cluster.x-k8s.io'
export const SETS = 'machinesets.cluster.x-k8s.io'

/** The machine sets of each MachineDeployment, by its uid. */
export function setsByOwner(view: ClusterView): Map<string, KubeObject[]> {
  const found = new Map<string, KubeObject[]>()
  for (const set of view.objects(SETS).values()) {
    const owner = ownerOf(set)
    if (!owner || set.metadata.deletionTimestamp) continue
    const those = found.get(owner)
    if (those) those.push(set)
    else found.set(owner, [set])
  }
  return found
}

/** So many namespaces are listed one by one; beyond, the whole cluster is. */
const APART = 8

/** As `setsByOwner`, of these groups, as the API server has them at this moment. */
export async function liveSets(view: ClusterView, groups: readonly KubeObject[]): Promise<Map<string, KubeObject[]>> {
  const namespaces = new Set(groups.map(({ metadata }) => metadata.namespace))
  const found = new Map<string, KubeObject[]>(groups.map(({ metadata }) => [metadata.uid, []]))
  const resource = resourceOf(groups[0]!, 'machinesets')
  for (const namespace of namespaces.size > APART ? [undefined] : namespaces)
    for await (const { items } of view.client.pages(resource, namespace, { limit: PAGE, dropManagedFields: true }))
      for (const set of items) if (!set.metadata.deletionTimestamp) found.get(ownerOf(set) ?? '')?.push(set)
  return found
}
const PAGE = 500

/** The uid of the MachineDeployment that it is a revision of. */
export const ownerOf = (set: KubeObject): string | undefined =>
  set.metadata.ownerReferences?.find(({ kind }) => kind === 'MachineDeployment')?.uid

export const resourceOf = (object: KubeObject, plural: string): Resource => {
  const [group, version] = object.apiVersion.split('/') as [string, string]
  return { group, version, plural }
}

export interface SetPatch {
  annotations?: Record<string, string | null>
  replicas?: number
}

/** Writes to a machine set what `make` says of it as it is then, on record with the group that it belongs to. */
export const patchSet = (
  view: ClusterView,
  set: KubeObject,
  { group, ...about }: About & { group: KubeObject },
  make: (now: KubeObject) => SetPatch | null | Promise<SetPatch | null>,
): Promise<Rewritten> =>
  auditedRewrite(view, group, about, [
    resourceOf(set, 'machinesets'),
    set,
    async (now) => {
      const patch = await make(now)
      if (!patch) return null
      const { annotations, replicas } = patch
      return {
        ...(annotations ? { metadata: { annotations } } : {}),
        ...(replicas === undefined ? {} : { spec: { replicas } }),
      }
    },
  ])
