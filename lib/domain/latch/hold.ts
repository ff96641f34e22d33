import { CONTROL_PLANE_POOLS } from '../pools/types'
import { isObject } from '../changes/canonical'
import type { JsonObject } from '../json'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK, POOL_PAUSED } from './names'
import { LATCHED_POOL } from './table'

// What a hold looks like on each kind: Cluster API's objects are paused by an annotation whose value says by whom, pools of
// OpenShift by a field, with a mark beside it where it was Drydock. Everything else asks here.

export const POOL = LATCHED_POOL.kind

export interface Holdable {
  kind?: string
  metadata: { annotations?: Record<string, string> }
  spec?: JsonObject
}

/** Fields of a merge patch: the writer adds the resourceVersion. */
export interface HoldFields {
  annotations: Record<string, string | null>
  spec?: { paused: boolean }
}

const annotationsOf = ({ metadata }: Holdable): Record<string, string> => metadata.annotations ?? {}
export const isPool = ({ kind }: Pick<Holdable, 'kind'>): boolean => kind === POOL

/** The pools of the control plane, whatever is governed: no groups, and never paused. */
export const isNeverHeld = (object: { kind?: string; metadata: { name: string } }): boolean =>
  isPool(object) && CONTROL_PLANE_POOLS.includes(object.metadata.name)

/** Its controller begins nothing, whoever wants that. */
export const isPaused = (object: Holdable): boolean =>
  isPool(object) ? isObject(object.spec) && object.spec.paused === true : PAUSED in annotationsOf(object)

/** Held, also where the pause is somebody else's: the guard keeps both. */
export const isHeld = (object: Holdable): boolean => HELD in annotationsOf(object) && isPaused(object)

/** The pause is Drydock's own: no other one is ever taken away. */
export const isOurPause = (object: Holdable): boolean =>
  isPool(object)
    ? isPaused(object) && POOL_PAUSED in annotationsOf(object)
    : annotationsOf(object)[PAUSED] === PAUSED_BY_DRYDOCK

/** What holds it, with these words. A pause that is there stays as it is. */
export function holdFields(object: Holdable, words: string): HoldFields {
  if (isPaused(object)) return { annotations: { [HELD]: words } }
  return isPool(object)
    ? { annotations: { [HELD]: words, [POOL_PAUSED]: PAUSED_BY_DRYDOCK }, spec: { paused: true } }
    : { annotations: { [HELD]: words, [PAUSED]: PAUSED_BY_DRYDOCK } }
}

/** What lets it go: the words, and the pause where it is Drydock's own. */
export function releaseFields(object: Holdable): HoldFields {
  const unheld: Record<string, null> = HELD in annotationsOf(object) ? { [HELD]: null } : {}
  const mark = isPool(object) ? POOL_PAUSED : PAUSED
  const ours = isOurPause(object)
  return {
    annotations: { ...unheld, ...(ours || leftMark(object) ? { [mark]: null } : {}) },
    ...(ours && isPool(object) ? { spec: { paused: false } } : {}),
  }
}

/** Somebody resumed a pool and left the mark: the next person's pause would be taken for Drydock's. */
export const leftMark = (object: Holdable): boolean =>
  isPool(object) && POOL_PAUSED in annotationsOf(object) && !isPaused(object)

/** A person pauses a pool from here: a pause that Drydock put there becomes theirs, and no approval ends it. What is held stays held. */
export const pausedByPerson = (): JsonObject => ({
  metadata: { annotations: { [POOL_PAUSED]: null } },
  spec: { paused: true },
})

/** A merge patch that is bound to what was read. */
export const boundTo = (resourceVersion: string | undefined, { annotations, spec }: HoldFields): JsonObject => ({
  metadata: { ...(resourceVersion === undefined ? {} : { resourceVersion }), annotations },
  ...(spec ? { spec } : {}),
})
