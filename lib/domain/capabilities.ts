import type { Need } from './access/permissions'
import type { ManagedSchema } from './boot-images/managed/managing'

/** What discovery found on a management cluster, and how it knows. Stored as ManagementCluster.discovery. */
export interface Capabilities {
  kubernetes: string
  /** Of the namespace kube-system: a cluster keeps it for life. Absent or null where it could not be read. */
  uid?: string | null
  /** null: no Cluster API there */
  clusterApi: {
    version: string | null
    /** API version that Drydock reads ("v1beta2", else "v1beta1") */
    apiVersion: string
    served: string[]
    contracts: string[]
  } | null
  providers: { name: string; version: string | null; contract: string | null }[]
  /** null: no OpenShift there */
  openshift: {
    version: string | null
    /** MachineConfiguration has the part of boot image skew; null: its schema could not be read. */
    skew: boolean | null
    /** Boot images of a ControlPlaneMachineSet can be managed; absent: found before that was looked for; null as above. */
    controlPlanes?: boolean | null
    /** What it has of managed boot images; absent: found before that was looked for, or the schema cannot be read. */
    managed?: ManagedSchema | null
    machineApi: boolean
  } | null
  /**
   * Feature gates for in-place updates; `unknown` where the managers' Deployments cannot be read. `ofKind` is absent in what
   * earlier versions of Drydock found.
   */
  gates: { inPlaceUpdates: GateState; runtimeSdk: GateState; ofKind?: KindGates }
  /** Which latch the API server can carry. */
  latch: { policy: 'v1' | 'v1beta1' | null; webhook: boolean; guard: boolean }
  /** Resources served, by "plural.group", with the version that Drydock reads. */
  resources: Record<string, string>
  missingPermissions: MissingPermission[]
  /** What is missing for the latch of pools, while nobody has chosen it; absent: it was chosen, or there are no pools. */
  latchOfPools?: MissingPermission[]
  identity: { username: string; groups: string[] }
}

/** A permission of the table (lib/domain/access) that the API server says Drydock does not have. */
export interface MissingPermission {
  verb: string
  group: string
  resource: string
  name?: string
  namespace?: string
  /** Which part needs it; absent in what earlier versions of Drydock found. */
  part?: Need['part']
  /** It may do so to the status subresource, which RBAC takes for another resource. */
  statusOnly?: true
  /** What does not work without it. */
  why: string
}

/**
 * What must be on for groups of a kind: the core manager updates machines and asks about MachineDeployments; for control
 * planes the other one asks.
 */
export type KindGates = Record<GroupKind, GateState[]>
export type GroupKind = 'MachineDeployment' | 'KubeadmControlPlane'

/** The gates that decide whether anybody is asked about groups of this kind. */
export const gatesFor = ({ inPlaceUpdates, runtimeSdk, ofKind }: Capabilities['gates'], kind: string): GateState[] =>
  ofKind?.[kind as GroupKind] ?? [inPlaceUpdates, runtimeSdk]

export interface GateState {
  state: 'on' | 'off' | 'unknown'
  /** "capi-controller-manager runs with --feature-gates=…", "an ExtensionConfig has handlers for all three hooks" */
  how: string
  /** Off in what the Deployment wants; the manager that still runs may have it on. */
  rolling?: true
}
