import { KubeError, type KubeObject, type Resource } from '@/lib/kubernetes/types'
import { audited, NothingToWrite, type About } from '../planner/audited'
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

/** The uid of the MachineDeployment that it is a revision of. */
export const ownerOf = (set: KubeObject): string | undefined =>
  set.metadata.ownerReferences?.find(({ kind }) => kind === 'MachineDeployment')?.uid

export const resourceOf = (object: KubeObject, plural: string): Resource => {
  const [group, version] = object.apiVersion.split('/') as [string, string]
  return { group, version, plural }
}

export interface SetPatch {
  annotations: Record<string, string | null>
  replicas?: number
}

const TRIES = 5

/**
 * Writes to a machine set what `make` says of it as it is then (null: nothing), on record with the group that it belongs to.
 * Where the API server refused it: in which words.
 */
export async function patchSet(
  view: ClusterView,
  set: KubeObject,
  about: About & { group: KubeObject },
  make: (now: KubeObject) => SetPatch | null,
): Promise<'written' | 'nothing' | { refused: string }> {
  const { name, namespace, uid } = set.metadata
  const resource = resourceOf(set, 'machinesets')
  let refused: string | null = null
  const write = async (): Promise<KubeObject> => {
    for (let attempt = 1; ; attempt++)
      try {
        const now = await view.client.get(resource, name, namespace)
        const patch = now.metadata.uid === uid ? make(now) : null
        if (!patch) throw new NothingToWrite('ok', 'It is not as it was any more')
        const { annotations, replicas } = patch
        const { resourceVersion } = now.metadata
        const body = {
          metadata: { resourceVersion, annotations },
          ...(replicas === undefined ? {} : { spec: { replicas } }),
        }
        return await view.client.patch(resource, name, namespace, 'merge', body)
      } catch (error) {
        if (!(error instanceof KubeError)) throw error
        if (error.code === 404) throw new NothingToWrite('ok', 'It is gone')
        if (error.code === 409 && attempt < TRIES) continue
        refused = error.message
        throw error
      }
  }
  try {
    await audited(view, about.group, about, write)
  } catch (error) {
    if (error instanceof NothingToWrite) return 'nothing'
    throw error
  }
  return refused === null ? 'written' : { refused }
}
