import type { Owner, Question, Revision, RevisionPair, ShownChange } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import type { RolloutStrategy } from '@/lib/domain/rollout'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Ref } from './read'

/** Where the comparison reads from: the watch cache and GETs in the worker, GETs alone in a verb. */
export interface ObjectSource {
  /** MachineSets that the MachineDeployment owns. */
  machineSets(deployment: KubeObject): Promise<KubeObject[]>
  /** Machines of a control plane. */
  machines(controlPlane: KubeObject): Promise<KubeObject[]>
  /** Null where it does not exist. `ms`: no older than that; absent: as it is kept. */
  template(ref: Ref, namespace: string, ms?: number): Promise<KubeObject | null>
  live(ref: Ref, namespace: string): Promise<KubeObject | null>
  /** What may not be read is an error, not something that waits: for those who act on it. */
  strict?: true
  /** Digest of the desired state that a group was last let go with (lib/domain/latch/digest.ts); null: not known. */
  letGo(groupId: string): Promise<string | null>
  /** What was kept of a namespace's templates is read anew: a group of it was written. */
  forget(namespace: string): void
}

/** A pair with its real values: mask before storing. */
export interface Compared {
  pair: RevisionPair
  /** What its changes were found between; absent: there is nothing to compare. */
  sides?: { current: Revision; desired: Revision }
  /** The KubeadmConfigTemplate of workers: what their configs are to be. */
  config?: { apiVersion: string; spec: JsonObject; metadata?: JsonObject }
  /** What other templates of its machines say, as it is written there. */
  templates?: JsonObject
  /** What Cluster API would ask about it; null where it would not ask. */
  question: { hook: Question; request: JsonObject } | null
}

/** What a group's desired state would change. No pairs: nothing waits. */
export interface GroupChange {
  owner: Owner
  replicas: number
  strategy: RolloutStrategy
  pairs: Compared[]
  /** What is written to the machines that are there in any case: it is shown, and decides nothing. */
  always?: ShownChange[]
  /** Of a held control plane: why it cannot be let go in place now, as one of its machines is not well. */
  ill?: string
  /** Of all that the latch watches, also of what no machine differs by (lib/domain/latch/digest.ts). */
  digest: string
  /** Over the pairs and the digest; "" where there are no pairs. */
  fingerprint: string
}

/** Before it is bound to the digest. */
export type Comparison = Omit<GroupChange, 'digest' | 'fingerprint'>
