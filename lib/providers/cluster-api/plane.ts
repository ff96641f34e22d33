import { COMPONENTS, ETCD_PARTS, type PlaneSaid } from '@/lib/domain/control-plane'
import type { Condition } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at } from '../fields'
import { prose } from './conditions'

/** The manager of control planes takes the member out of etcd, and then this away (kubeadmcontrolplane_controller.go). */
const CLEANUP = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup'

/** Before Cluster API 1.9 they have the same names among the older conditions, and the same meaning. */
const PARTS = new Set([...COMPONENTS, ...ETCD_PARTS])

/** Of a machine that goes: its manager is not through with it. */
export const stillInEtcd = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  CLEANUP in (metadata.annotations ?? {})

/** What is said of a control plane machine. Not by pressure on its memory or disk: that is not among the checks. */
export function planeSaidOf({ metadata }: KubeObject, conditions: readonly Condition[]): PlaneSaid {
  const statusOf = (type: string) => conditions.find((c) => c.type === type)?.status
  const node = statusOf('NodeReady') ?? statusOf('NodeHealthy')
  return {
    parts: conditions.flatMap(({ type, status, message }) =>
      PARTS.has(type) ? [{ type, status, message: prose(message) }] : [],
    ),
    node: node === 'True' ? 'ready' : node === 'False' ? 'not-ready' : 'unknown',
    hook: stillInEtcd({ metadata }),
  }
}

/** Whose etcd a control plane has (control_plane.go, IsEtcdManaged); null: it is none of this provider. */
export function etcdOf({ kind, spec }: KubeObject): 'managed' | 'external' | null {
  if (kind !== 'KubeadmControlPlane') return null
  const external = at(spec, 'kubeadmConfigSpec', 'clusterConfiguration', 'etcd', 'external')
  return typeof external === 'object' && external !== null && Object.keys(external).length > 0 ? 'external' : 'managed'
}
