import { ARCHES, type Arch } from '@/lib/domain/boot-images/stream'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readClusterVersion } from './readers'

const ROLES = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']
const isPlane = ({ metadata }: KubeObject): boolean => ROLES.some((role) => metadata.labels?.[role] !== undefined)

/**
 * Architecture of the control plane's machines, which the operator takes from the one that it runs on: that of their nodes, and where
 * the cluster has but one, of any node. Never a machine set's, which may be for another. Null: nothing tells.
 */
export function planeArch(nodes: Iterable<KubeObject>, clusterVersion: KubeObject | undefined): Arch | null {
  const all = [...nodes]
  const planes = all.filter(isPlane)
  if (planes.length > 0) return common(planes)
  return clusterVersion && !readClusterVersion(clusterVersion).multiArch ? common(all) : null
}

function common(nodes: readonly KubeObject[]): Arch | null {
  const [arch, ...others] = new Set(nodes.map(({ metadata }) => metadata.labels?.['kubernetes.io/arch'] ?? ''))
  return others.length === 0 ? (ARCHES.get(arch ?? '') ?? null) : null
}
