import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'

export interface WorkloadClusterOptions {
  namespace: string
  name: string
  version: string
  /** `kubeadm`: what its kubeadmConfigSpec has besides (real managers only). `hostStarts`: how long a new host takes; else `1s`. */
  controlPlane?: { replicas: 1 | 3; maxSurge?: 0 | 1; kubeadm?: JsonObject; hostStarts?: string }
  workers?: { replicas: number; maxSurge?: number | string; maxUnavailable?: number | string }
  /** Managed by a ClusterClass. */
  topology?: boolean
}

/** A management cluster that behaviour tests run against: the sandbox, or the real managers. One suite, two clusters. */
export interface TestCluster {
  kind: 'sandbox' | 'real'
  /** Drydock's own identity (user "drydock"), with the rights of the RBAC manifest only. */
  kubeconfig: string
  /** Somebody else: an administrator who is not Drydock. */
  adminKubeconfig: string
  admin: KubeClient
  /** Whether the managers run with InPlaceUpdates and RuntimeSDK. */
  inPlace: boolean
  /** A namespace of its own for one test. */
  namespace(labels?: Record<string, string>): Promise<string>
  /** Creates a workload cluster and waits until all its machines are Running and up to date. Names: "<name>-cp", "<name>-md". */
  workloadCluster(options: WorkloadClusterOptions): Promise<{ controlPlane: string; machineDeployment: string }>
  machines(namespace: string, cluster: string): Promise<KubeObject[]>
  stop(): Promise<void>
}
