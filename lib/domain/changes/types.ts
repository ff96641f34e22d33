import type { Json } from '../json'
import type { NodeEffect } from '../pools/effect'
import type { VerdictCounts } from '../verdict'

/**
 * The three objects that Cluster API compares to decide whether a machine is up to date. Of a MachineConfigPool: `bootstrap` for
 * what stands in its rendered config, `machine` for the release that it was rendered for.
 */
export type ChangedObject = 'machine' | 'infrastructure' | 'bootstrap'

/** One field that differs between the revision a machine has and the one it should have. */
export interface FieldChange {
  object: ChangedObject
  /** Dotted path below the object's spec, list items by index: "joinConfiguration.nodeRegistration.taints[0].key". */
  path: string
  /** Absent key: the field does not exist on that side. Secrets are masked before they are stored. */
  current?: Json
  desired?: Json
  secret?: boolean
  /** Of a masked desired value, under a key (see masked): tells it from another one and does not let it be guessed. */
  digest?: string
  /** Updater by name that can change it in place; absent: nobody. */
  coveredBy?: string
}

/** A change as the page shows it: of lists by name (by-name.ts), masked. */
export interface ShownChange extends FieldChange {
  /** The pairs that have it, by their old revision; absent: all of them. */
  of?: string[]
  /** Cluster API writes it to the machines that are there, whatever is approved, and asks nobody. */
  always?: true
}

/** Of a KubeadmConfigTemplate. `filled`: a digest of what the bootstrap provider fills in else, which is in no machine's; absent: nothing of it. */
export interface WholeConfig {
  apiVersion: string
  digest: string
  filled?: string
  /** Labels and annotations that it gets from its template. */
  copied?: string
}

/** What one revision (an old MachineSet, or one control plane Machine) would have to become. */
export interface RevisionPair {
  /** Name of the old MachineSet, or of the control plane Machine. */
  from: string
  machines: number
  /** When the old MachineSet, or the Machine, was made. */
  createdAt?: string
  /** sha256 of owner and field changes, see fingerprint.ts. The gate looks a decision up by it. */
  fingerprint: string
  changes: FieldChange[]
  /** Of workers: what their whole KubeadmConfig shall be, as a digest under a key, in this version of its API. */
  config?: WholeConfig
  /** All else that the templates of its machines say, of any provider, as a digest under a key. */
  templates?: string
  /** `certainReplace` for a date that lies ahead: until then, Cluster API asks about it. */
  later?: true
  /** Why this pair is replaced whatever an updater says ("spec.rollout.after has passed"). */
  certainReplace?: string
  /** `certainReplace` because its objects would be of another kind: Cluster API asks all the same, and the gate says no. */
  otherKind?: true
  /** Why it cannot be compared: the API server does not let Drydock read a template. Nothing can be approved. One sentence. */
  unread?: string
  /** A template that does not exist: nothing can be approved before it does. */
  missing?: string
  /** The template that the old revision names does not exist: where in-place updates are on, that is `missing`, too. */
  lost?: string
}

export interface ChangeSet {
  pairs: RevisionPair[]
  /** Union of the pairs' changes, for the page. */
  fields: ShownChange[]
}

/** What would happen to the group's machines if it were approved one way. */
export interface Outcome {
  /** Machines by verdict: all machines of the group, once, but for those that go because more are there than are wanted. */
  counts: VerdictCounts
  /** Machines that come into being for the rollout, and old ones that go. */
  created: number
  deleted: number
  /** Of those that are replaced: one for the spare that comes first. Absent: none. */
  spare?: number
  /** Nothing of this happens by itself: each old machine is replaced when somebody deletes it. Absent: it does. */
  onDelete?: boolean
  /** Of those created: because more are wanted than there are. Absent: none. */
  added?: number
  /** Of those deleted: because more are there than are wanted. Absent: none. */
  removed?: number
  /** Of those removed: for spares that are there already, made for this very change before it was held. Absent: none, as far as is known. */
  forSpares?: number
  /** "12 machines of workers-a would be updated in place, one at a time, never fewer than 11 available." */
  headline: string
}

export interface Outlook {
  /** There is one way only, whatever a policy prefers; absent: there are two. */
  only?: 'in-place'
  /** The date before which nothing of it moves, as it is written; absent: it begins as soon as it may. */
  notBefore?: string
  /** null: cannot be done in place, for the reason in `whyNotInPlace`. */
  inPlace: Outcome | null
  whyNotInPlace?: string
  /** Updaters could not be asked: what is known of it before. Approving replacing replaces all the same. */
  unknown?: Outcome
  /** Why it cannot be approved in either way, in one sentence; `replace` then says that nothing moves. */
  blocked?: string
  replace: Outcome
  /** Field paths that no updater covers. */
  uncovered: string[]
  /** How many machines the group wanted when this was said; absent: not kept. */
  replicas?: number
  /** Whether its strategy brings a spare machine first in place, for which another is deleted; absent: not kept. */
  spareFirst?: boolean
  /** What was dealt with before this was said, since it was first let go: the whole is both. Absent: nothing. */
  /**
   * `outOfService`: of those in place, chosen and not begun when it was held: they begin when it goes on. `underWay`: of a pool, nodes
   * that have begun and are not through, which what is said counts as well. Absent: none.
   */
  before?: { inPlace: number; created: number; deleted: number; outOfService?: number; underWay?: number }
  /** Of a pool: the rendered config that its nodes take up, the OS image where one is built for them, what that does to a node (null: not known), and how many of how many may be out of work at once (absent: stored before). */
  pool?: { config: string; image?: string | null; effect: NodeEffect | null; limit?: string; machines?: number }
}
