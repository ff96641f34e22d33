import type { Capabilities } from '@/lib/domain/capabilities'
import type { OldestNode } from '@/lib/domain/skew/oldest-node'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'

export type Heard = 'listed' | 'unserved' | 'refused' | 'open'

/** A stream from which nothing comes any more. */
export interface Silent {
  /** Why, in the API server's words where it answers. */
  message: string
  /** What it brought before is there, and old. */
  isListed: boolean
}

/** One management cluster, as the worker that owns it sees it. */
export interface ClusterView {
  clusterId: string
  name: string
  client: KubeClient
  capabilities: Capabilities
  /** Finds them anew, and at once: somebody saw that they are not what they were. */
  rediscover?(): Promise<void>
  /** Fencing token of the lease; writers that must not be stale check it. */
  fence: bigint
  /**
   * Objects of a watched resource by "namespace/name" ("name" where cluster-scoped), from the watch cache.
   * Machines are not kept, only projected to rows, and of Nodes (OpenShift's) only labels, daemon's annotations and whether they
   * are ready: memory grows with groups, not with machines.
   */
  objects(resource: string): ReadonlyMap<string, KubeObject>
  /**
   * Whether the list of a resource, or of one part of it ("configmaps/admin-acks"), is in, or cannot be had; open: neither yet, which a failure in passing leaves so; unserved: the
   * cluster has no such resource, as far as it was found. Only where it is listed, that `objects` has none of it says that there is none.
   */
  heard?(resource: string): Heard
  /** The same of this moment: what was listed, and is not followed any more, may be old, and is refused or open again. */
  heardNow?(resource: string): Heard
  /** Streams by their own names from which nothing has come for longer than a hiccup, while others may go on. */
  silent?(): ReadonlyMap<string, Silent>
  /** OpenShift: the name that its own cluster had when this view began; it stays, where its Infrastructure cannot be read any more. */
  workload?: string | null
  /** OpenShift: the node that joined first, of those that were heard of so far. */
  oldestNode?(): OldestNode | null
  /** OpenShift, by image: when the first of the machines was made that are there and name it, in ms. */
  oldestMachines?(): ReadonlyMap<string, number>
}

export interface ObjectChange {
  type: 'upsert' | 'delete'
  /** "machinedeployments.cluster.x-k8s.io" */
  resource: string
  key: string
  object: KubeObject
  /** ms since epoch when the worker read it off the wire */
  heardAt: number
}

/**
 * Something that follows a management cluster's objects: the planner, the skew projector.
 * Batches are coalesced (100 to 250 ms), one at a time per consumer and cluster, in the order in which objects were first
 * heard of. Of each object (uid) only the newest state comes; one that was deleted and made anew comes as both, the
 * deletion first.
 */
export interface Consumer {
  name: string
  /** Resources it wants; those that the cluster does not serve are left out. */
  resources: string[]
  /** Of these, the ones without which it can begin: a forbidden one then costs detail, not everything. */
  optional?: string[]
  /** False: reads no rows of what changed, and is told without waiting for them to be written. */
  afterRows?: false
  /** Called once after the initial lists are in, then for each batch. Errors are logged and the batch is retried with back-off. */
  onSynced(view: ClusterView): Promise<void>
  onChanges(view: ClusterView, changes: ObjectChange[]): Promise<void>
  /**
   * This view of the cluster is over: another worker has it, or it was disconnected. It may come late, when a newer view
   * of the same cluster is followed already: that one stays.
   */
  forget?(view: ClusterView): void
}
