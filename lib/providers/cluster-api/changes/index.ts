import type { KubeObject } from '@/lib/kubernetes/types'
import { controlPlaneChange } from './control-plane'
import { deploymentChange } from './deployment'
import type { GroupChange, ObjectSource } from './types'

export { clientSource, type SourceOptions } from './source'
export type { Compared, GroupChange, ObjectSource } from './types'

/** What a MachineDeployment or control plane would change, computed as Cluster API compares. */
export function changeOf(group: KubeObject, source: ObjectSource): Promise<GroupChange> {
  return group.kind === 'KubeadmControlPlane' ? controlPlaneChange(group, source) : deploymentChange(group, source)
}
