import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { Topic } from '@/lib/db/notify'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient, KubeObject, Resource } from '@/lib/kubernetes/types'
import type { Permission } from '../context'
import type { Foretold } from './foretold'

/** The one object that an action changes. */
export interface Target {
  resource: Resource
  name: string
  namespace?: string
  /** As people say it: "MachineConfiguration/cluster". */
  words: string
}

/** One write of an action, as it is planned when the action is recorded. */
export interface PlannedStep {
  /** In words: "Record 4.16.0". */
  label: string
  /** The merge patch, without the resourceVersion: the engine binds it to the state that was looked at. */
  body: JsonObject
  /** What must be so before it, in words that follow "waits until": the kind's `ready` looks whether it is. */
  waitsFor?: string
  /** What undoes this step and those before it, as one merge patch: offered when the action is cancelled after it. */
  back?: { label: string; body: JsonObject }
}

/** What the third tick rests on. */
export interface Seen {
  /** Kept as the audit event's answer. */
  answer: string | null
  details: Record<string, unknown>
}

/**
 * One kind of decision on OpenShift. It says what an action is about and when it is there; recording, applying in steps,
 * reading back, conflicts, retry, cancel and the ticks are the engine's.
 */
export interface ActionKind {
  /** As the row has it. */
  kind: string
  /** First word of its audit events, "skew" of "skew.accepted". `gate` belongs to the update gate. */
  audit: string
  topic: Topic
  permission: Permission
  /** Of an action that asks for more than the others of its kind. */
  permissionFor?(action: string): Permission
  /** Kind of the object, for the audit. */
  objectKind: string
  /** The object that a row's `target` names. */
  target(key: string): Target
  /**
   * What people do where the object is not there (a sentence); what it means that a field is not known, and what was not seen of an
   * action that somebody wrote over, which follows "before" (half a one each).
   */
  words: { missing: string; unknownField: string; takenUp: string }
  /** Whoever tries a step of it once more goes on with it: so its button says. Absent: retries. */
  goesOn?: true
  /** What the object says now about what was decided: "Manual, 4.14.0". */
  stands(object: KubeObject): string
  /** Whether what a step waits for has come. Needed where a step has `waitsFor`. */
  ready?(object: KubeObject, step: number, row: OpenShiftAction): boolean
  /** For so many ms in every look, before it is believed: what is waited for may flicker. Absent: one look is enough. */
  settleMs?: number
  /**
   * Asked before every attempt at a step, also of a retry or after a crash: a sentence why what was decided is not to be written any
   * more, which is a conflict; null: it still is.
   */
  still?(row: OpenShiftAction, client: KubeClient): Promise<string | null>
  /**
   * The steps of an action that failed, made anew for the object as it is now: of a list that a patch replaces whole, what others wrote
   * meanwhile would be lost. Those that are stored stay. Absent: what is sent is the same whatever is there.
   */
  anew?(row: OpenShiftAction, object: KubeObject): Promise<PlannedStep[]>
  /** What going on comes to, for the object as it is now, where its writes do not say that: it is bound to what was shown. */
  foretells?(row: OpenShiftAction, object: KubeObject): Promise<Foretold>
  /** Another state than was looked at, although its generation is the same: what decides stands in its metadata. */
  otherwise?(object: KubeObject, row: OpenShiftAction): boolean
  /** Whether the read model shows an accepted action taken up; null: not yet. */
  seen(row: OpenShiftAction): Promise<Seen | null>
}

/** Which permission an action of this kind asks for, to be recorded and to be retried. */
export const permissionOf = (kind: ActionKind, action: string): Permission =>
  kind.permissionFor?.(action) ?? kind.permission
