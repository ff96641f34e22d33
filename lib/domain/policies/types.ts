import type { Share } from './share'

/** How machines of a group may be changed. */
export const STRATEGIES = ['in-place-only', 'prefer-in-place', 'replace'] as const
export type Strategy = (typeof STRATEGIES)[number]

/** What decides which policies are for a group. */
export interface PolicyGroup {
  /** Name of the management cluster. */
  cluster: string
  workloadCluster: string
  /** Labels of the workload cluster's Cluster object. */
  labels: Readonly<Record<string, string>>
  namespace: string
  kind: string
  name: string
}

/**
 * Which groups a policy is for. What is absent or empty does not restrict; a group has to fit all that is there. Of a list
 * one has to fit. `*` stands for any characters; a label's value `*` asks only that the label is there.
 */
export interface Selection {
  clusters?: readonly string[] | undefined
  workloadClusters?: readonly string[] | undefined
  labels?: Readonly<Record<string, string>> | undefined
  namespaces?: readonly string[] | undefined
  kinds?: readonly string[] | undefined
  names?: readonly string[] | undefined
}

/** What a policy may say. What it leaves out, a less specific one says, and at last the built-in one. */
export interface Rules {
  strategy: Strategy
  /** How many people have to approve. 0: what goes in place goes by itself. */
  approvals: number
  /** The one who wrote the change does not count. */
  notTheAuthor: boolean
  reasonRequired: boolean
  /** How long an approval is good for as long as nothing has been let go: "30m", "24h", "7d"; "never". */
  expiresAfter: string
  /** So many machines of a rollout that failed stop it: 2, "10%" of them (at least one); "never". */
  stopsAt: FailureLimit
  /** A machine that is not Ready so long after its update has failed, too: "20m"; "never": that counts for nothing. */
  readyWithin: string
  /** How long a change may be held before people are reminded of it: "24h"; "never". */
  remindAfter: string
  /** And before it is put before everybody. */
  escalateAfter: string
  /** How long a control plane may be held at most, before it is called dangerous. */
  holdLimit: string
  /** While a worker group is held, what it wants to grow or shrink is carried through to the machine set that it has. */
  scaleWhileHeld: boolean
  /** Of what follows, null is as the group itself says: 1, "25%"; of a control plane 0 or 1. */
  maxSurge: number | string | null
  maxUnavailable: number | string | null
  deletionOrder: (typeof DELETION_ORDERS)[number] | null
  /** How long a node may be drained before its machine goes all the same: "10m"; "never". */
  drainTimeout: string | null
  /** The same for its volumes to be detached. */
  detachTimeout: string | null
  /** Names of updaters that are asked first, in this order; the others after them, in theirs. */
  updaterOrder: readonly string[]
}

/** Which machine goes first (MachineSetDeletionOrder). */
export const DELETION_ORDERS = ['Random', 'Newest', 'Oldest'] as const

export type FailureLimit = Share | 'never'

/** A time by the clock of a place, once or again and again. It has an end or it lasts, one of the two. */
export interface Span {
  /** Local time: "2026-11-24T22:00". Of one that repeats: the first day on which it may be, and its time of day. */
  starts: string
  /** Local time; only of one that does not repeat. */
  ends?: string | undefined
  /** "30m", "4h", "2d": hours are hours by any clock, days are days of the calendar. */
  lasts?: string | undefined
  /** A recurrence rule of RFC 5545: "FREQ=WEEKLY;BYDAY=TU,TH". */
  repeats?: string | undefined
  /** "Europe/Berlin" */
  timeZone: string
  why?: string | undefined
}

/** When machines may move. */
export interface Times {
  /** Only then; "always" takes back what a less specific policy says. */
  windows?: readonly Span[] | 'always' | undefined
  /** Not then. */
  freezes?: readonly Span[] | undefined
}

/** One wave of a policy: some of its groups, which go before the others. */
export interface Wave {
  /** What people call it, and what their words about it are bound to. */
  name: string
  /** Which of the policy's groups; absent: any that are left. */
  select?: Selection | undefined
  /** How many groups: 3, "10%" of all that the policy is for (at least one); absent: all that fit and are left. */
  size?: Share | undefined
  /** How long after its last group is through the next wave may begin: "30m", "24h". */
  soak?: string | undefined
  /** Somebody has to say that it begins. */
  ownApproval?: boolean | undefined
}

export interface PolicySpec extends Partial<{ [Rule in keyof Rules]: Rules[Rule] | undefined }>, Times {
  select: Selection
  /** In which order its groups go; "none" takes back what a less specific policy says. */
  waves?: readonly Wave[] | 'none' | undefined
}

/** A policy as it is stored. */
export interface Policy {
  id: string
  name: string
  version: number
  spec: PolicySpec
}

/** One rule with where it comes from. */
export interface Told<T> {
  value: T
  /** Null: no policy says it, it is built in. */
  policy: { id: string; name: string; version: number } | null
  /** Why this one: "it names the namespace payments-prod", in one part of a sentence. */
  why: string
  /** What others say that are as specific or more so, and that means nothing for such a group. */
  passed?: { policy: string; value: T; why: string }[]
}

export type Resolved = { [Rule in keyof Rules]: Told<Rules[Rule]> } & {
  /** Of the most specific policy that has some; of several that are equally specific each has to be open. Empty: always. */
  windows: Told<readonly Span[]>[]
  /** It says that there are none, whatever a wider one says. */
  always?: Told<'always'>
  /** Of every policy that is for the group: none takes back another's. */
  freezes: Told<readonly Span[]>[]
  /** Of the most specific policy that says some; null: all at once. */
  waves: Told<readonly Wave[]> | null
  /** It says that there are none, whatever a wider one says. */
  noWaves?: Told<'none'>
}

/** How a group rolls and lets machines go, in the order in which they are shown. */
export const SHAPE_RULES = ['maxSurge', 'maxUnavailable', 'deletionOrder', 'drainTimeout', 'detachTimeout'] as const
