import type { Arch } from '@/lib/domain/boot-images/stream'
import type { DatedImage } from '@/lib/domain/skew/evidence'
import type { Quoted } from '@/lib/domain/skew/floors'
import type { OldestNode } from '@/lib/domain/skew/oldest-node'
import type { KubeObject } from '@/lib/kubernetes/types'

/** A cluster's objects that boot images and skew rest on; absent ones are undefined. */
export interface SkewObjects {
  machineConfiguration: KubeObject | undefined
  machineSets: KubeObject[]
  controlPlanes: KubeObject[]
  configMap: KubeObject | undefined
  /** Whether there is one is not known: it was not listed. */
  mapUnread?: boolean
  clusterVersion: KubeObject | undefined
  infrastructure: KubeObject | undefined
  operator: KubeObject | undefined
  /** Of the control plane's machines, by their nodes; null: nothing tells. */
  controlPlaneArch?: Arch | null
  /** Nodes are counted and dropped, but for the oldest one. */
  oldestNode?: OldestNode | null
  /** By image: when the first of the machines was made that are there and name it, in ms. */
  oldestMachines?: ReadonlyMap<string, number>
  /** Images that machine sets had before, and what told of them then. */
  former?: ReadonlyMap<string, DatedImage>
  /** What the operator was heard to quote of its floor. */
  quoted?: Quoted | null
  /** Bare metal: where it starts machines from; null: there is none, undefined: Drydock cannot read it. */
  provisioning?: KubeObject | null
}
