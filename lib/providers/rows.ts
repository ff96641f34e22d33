import type { UnknownError } from '@/lib/domain/errors'
import type { HealthCheckRow, MachineRow, ProjectedGroup, WorkloadClusterRow } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'

/** What one object becomes; a resource that is only watched becomes nothing. */
export interface Rows {
  machine?: MachineRow
  /** What the machine says that nobody knows. */
  unknown?: UnknownError
  group?: ProjectedGroup
  workloadCluster?: WorkloadClusterRow
  healthCheck?: HealthCheckRow
}

/** What a projection may look at besides its object. */
export interface ProjectionContext {
  /** Object of a kept resource ("machinesets.cluster.x-k8s.io") by "namespace/name". */
  find(resource: string, key: string): KubeObject | undefined
  /** Whether the policy of the management cluster governs this group; null: it is not known yet. */
  governed(object: KubeObject): boolean | null
  /** ms since epoch */
  now: number
}

export type Projection = (object: KubeObject, context: ProjectionContext) => Rows
