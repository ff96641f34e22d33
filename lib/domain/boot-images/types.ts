import type { JsonObject } from '../json'
import type { Arch, StreamMap } from './stream'

export type BootImageState = 'current' | 'outdated' | 'custom' | 'excluded' | 'unknown'

/** What the boot image controller does with a set in one pass; `undecided`: only the cloud's own API could tell. */
export type Outcome = 'unchanged' | 'update' | 'ignore' | 'skip' | 'error' | 'crash' | 'undecided'

/** A MachineSet or the ControlPlaneMachineSet, as far as its boot image is concerned. */
export interface ImageSet {
  kind: 'MachineSet' | 'ControlPlaneMachineSet'
  name: string
  replicas: number
  labels: Record<string, string>
  templateLabels: Record<string, string>
  annotations: Record<string, string>
  owners: { kind: string; name: string }[]
  providerSpec: JsonObject | null
}

export interface FailureDomain {
  name: string
  server: string
  datacenter: string
  datastore: string
  resourcePool: string
  vmGroup: string
}

/** What the decision depends on beside the set itself. */
export interface ImageContext {
  platform: string
  infrastructureName: string
  multiArch: boolean
  controlPlaneArch: Arch
  stream: StreamMap
  /** vSphere; null: Infrastructure has no vSphere part */
  failureDomains: FailureDomain[] | null
  /** userData of a secret by name; absent: Drydock cannot read secrets and takes them for good. */
  userData?: (secret: string) => string | undefined
}

export interface BootImage {
  state: BootImageState
  /** One sentence: why it is in this state. */
  reason: string
  current: string | null
  wanted: string | null
  outcome: Outcome
  /** Merge patch of providerSpec.value that the controller would make. */
  patch?: JsonObject
  /** RHCOS version in the current image's own name, where the platform puts it there. */
  rhcos?: string
}
