import type { KubeObject } from '@/lib/kubernetes/types'
import { controlPlaneChange } from './control-plane'
import { deploymentChange } from './deployment'
import type { GroupChange, ObjectSource } from './types'
import { unexplained } from './unexplained'

export { clientSource, type SourceOptions } from './source'
export type { Compared, GroupChange, ObjectSource } from './types'

/** What a MachineDeployment or control plane would change, computed as Cluster API compares. */
export async function changeOf(group: KubeObject, source: ObjectSource): Promise<GroupChange> {
  const compared =
    group.kind === 'KubeadmControlPlane' ? controlPlaneChange(group, source) : deploymentChange(group, source)
  const change = await compared
  return change.pairs.length > 0 ? change : unexplained(group, change, source)
}
