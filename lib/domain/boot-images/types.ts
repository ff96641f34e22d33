import type { JsonObject } from '../json'
import type { Does } from './by-release'
import type { Cloud } from './cloud'
import type { Arch, StreamMap } from './stream'

export type BootImageState = 'current' | 'outdated' | 'custom' | 'excluded' | 'unknown'

/**
 * What the boot image controller does with a set in one pass; `undecided`: only the operator can tell whose its image is, or only the
 * cloud how old; `not-known`: Drydock does not know what decides it.
 */
export type Outcome = 'unchanged' | 'update' | 'ignore' | 'skip' | 'error' | 'crash' | 'undecided' | 'not-known'

/** Which of the controller's questions settled it; `none`: the image itself did. */
export type Cause =
  | 'none'
  | 'owner'
  | 'stream'
  | 'windows'
  | 'no-arch'
  | 'bad-arch'
  | 'platform'
  | 'no-infrastructure'
  | 'no-platform-part'
  | 'no-map'
  | 'bad-map'
  | 'bad-spec'
  | 'not-in-release'
  | 'other-arch'
  | 'by-search'
  | 'foreign-image'
  | 'no-marketplace-image'
  | 'unknown-offer'
  | 'security-type'
  | 'credentials'
  | 'cloud'
  | 'workspace'
  | 'template'
  | 'download'
  | 'user-data'
  | 'hot-loop'

/** A MachineSet or the ControlPlaneMachineSet, as far as its boot image is concerned. */
export interface ImageSet {
  kind: 'MachineSet' | 'ControlPlaneMachineSet'
  name: string
  replicas: number
  labels: Record<string, string>
  /** of its machines; of a control plane set those within their spec, where the controller looks for Windows */
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
  /** undefined: there is no Infrastructure; '': it names no platform */
  platform: string | undefined
  infrastructureName: string
  multiArch: boolean
  /** Whether the operator leaves a set alone that says no architecture where there are several, and does not take it for the control plane's; absent: it does. */
  asksForArch?: Does
  /** Whether the operator knows OS streams; absent: it does. */
  knowsStreams?: Does
  /** null: nothing tells */
  controlPlaneArch: Arch | null
  stream: StreamMap
  /** vSphere; null: Infrastructure has no vSphere part */
  failureDomains: FailureDomain[] | null
  /** vSphere: addresses of the vCenters that Infrastructure lists */
  vcenters?: string[]
  /** Data of a Secret (`name` alone: in openshift-machine-api) or ConfigMap, decoded; absent: Drydock cannot read them and takes them for good. */
  data?: (name: string, namespace?: string) => Record<string, string> | undefined
  /** absent: nobody can ask the cloud, which leaves some sets undecided */
  cloud?: Cloud
  /** AWS before 4.23: the operator asks nobody and knows no Marketplace; it has a list of the images that it recognises. */
  listed?: boolean
  /** An operator of 4.18 or before, or that may be, where it manages machine sets: it fails on a set that has an owner, and replaces the user data's secret; absent: it is none. */
  early?: Does
  /** The release holds boot images to a limit, for which a version can be acknowledged. */
  limited?: boolean
}

export interface BootImage {
  state: BootImageState
  /** One sentence: why it is in this state. */
  reason: string
  /** What it fails at alone, where the reason says more than that. */
  failure?: string
  current: string | null
  wanted: string | null
  outcome: Outcome
  cause: Cause
  /** Merge patch of providerSpec.value that the controller would make. */
  patch?: JsonObject
  /** RHCOS version in the current image's own name, where the platform puts it there. */
  rhcos?: string
  /** RHCOS version to be recorded for the set instead of the release: AWS Marketplace only. */
  records?: string
}
