import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import type { VersionKind } from '@/lib/domain/skew/types'
import { resourcePath } from '@/lib/kubernetes/paths'
import { beforeWayBack } from './before-way-back'
import type { PlannedStep, Target } from './kind'
import { callsOf, mayBeStored, stepsOf } from './row-steps'
import { wayBack } from './way-back'
import { isGone } from './what-stands'

/** One call as it is shown before and recorded after it was made. */
export interface ApiCall {
  method: 'PATCH'
  path: string
  contentType: 'application/merge-patch+json'
  body: JsonObject
  at?: string
  /** HTTP status; absent where no answer came. */
  code?: number
  answer?: string
  /** metadata.generation of the object that a success showed. */
  generation?: number
  /** When the cluster stored what it changed, by its own clock, to the second; absent: it did not tell. */
  storedAt?: string
  /** Of a call that failed: since when what it sets was Drydock's own before it (`ours.ts`); absent: it was not read. */
  oursSince?: string | null
  /** Which step and which attempt at it made the call. */
  step?: number
  attempt?: number
}

export interface ActionStep extends PlannedStep {
  state: 'open' | 'stored' | 'failed' | 'left'
  /** When it was stored. */
  at: string | null
  /** Somebody else had changed the object when it was to be made. */
  conflict?: true
  /** When it failed: whoever goes on and is refused again sees that it was tried. */
  tried?: string
  /** It failed before anything was sent: what was answered to an earlier try says nothing of this one. */
  unsent?: true
  /** It was stored, and somebody took that away since. */
  gone?: true
  /** That was so, and what was stored stands there again. */
  again?: true
  /** It takes back what was stored: the action is cancelled with it. */
  cancels?: true
  /** Since when what it waits for is there in every look; absent: in the last one it was not. */
  readySince?: string
}

/**
 * `superseded`: it failed, and somebody has decided anew on its object; nothing leads back to it. `overtaken`: the cluster took it, and
 * somebody wrote over it before it was seen.
 */
export type ActionState =
  'recorded' | 'applying' | 'waiting' | 'accepted' | 'seen' | 'failed' | 'cancelled' | 'superseded' | 'overtaken'
/** What the cluster has taken. */
export const STORED: ActionState[] = ['accepted', 'seen']
/** Of these an object has one at a time. */
export const UNDER_WAY: ActionState[] = ['recorded', 'applying', 'waiting']

export interface ActionDto {
  id: string
  clusterId: string
  kind: string
  target: string
  action: string
  /** Of a boot image: which kind of version, and which. */
  versionKind: VersionKind | null
  version: string | null
  reason: string | null
  reviewAt: string | null
  batchId: string | null
  actorName: string
  state: ActionState
  /** Index of the step that is next, being made, or failed. */
  step: number
  steps: (Pick<ActionStep, 'label' | 'body' | 'waitsFor' | 'state' | 'at' | 'tried' | 'conflict' | 'cancels'> & {
    /** It may be stored all the same, in part or whole. */
    unsure?: true
  })[]
  /** While it waits: for what, since when, and whether that is longer than it should take. */
  waiting: { until: string; since: string; overdue: boolean } | null
  /** What cancelling would send; null: nothing, or there is no way back but to leave what is stored. */
  back: { label: string; body: JsonObject } | null
  /** Somebody else wrote over what is stored: there is no going on, and no going back. */
  gone: boolean
  calls: ApiCall[]
  error: string | null
  /** The API server's own words on the last call. */
  answer: string | null
  /** After somebody's change: what is left of it can be made for what is there now, and gone on with. */
  goesOn: boolean
  /** Somebody else wrote in between: look again before deciding again. */
  conflict: boolean
  recordedAt: string
  acceptedAt: string | null
  seenAt: string | null
}

/** The operator takes a new configuration up within seconds, and waits two minutes for a status at most. */
export const PATIENCE_MS = 150_000

export const patchOf = ({ resource, namespace, name }: Target, body: JsonObject): ApiCall => ({
  method: 'PATCH',
  path: resourcePath(resource, namespace, name),
  contentType: 'application/merge-patch+json',
  body,
})

export const bound = (body: JsonObject, resourceVersion: string): JsonObject => ({
  ...body,
  metadata: { ...(body.metadata as JsonObject | undefined), resourceVersion },
})

/** How an action ended of which something was stored, and was taken back, stays, or was taken away by somebody else. */
export function cancelledWords(steps: ActionStep[], became: 'back' | 'left' | 'gone'): string {
  const own = steps.filter((step) => !step.cancels)
  const stored = own.filter((step) => step.state === 'stored').length
  const were = stored === 1 ? '1 was stored, and is' : `${stored} were stored, and are`
  const by = { back: 'taken back', left: 'not taken back', gone: 'not there any more' }[became]
  return `Cancelled: of its ${own.length} steps ${were} ${by}.`
}

export function actionDto(row: OpenShiftAction): ActionDto {
  const calls = callsOf(row)
  const steps = stepsOf(row)
  // Of the step that it is at: what was answered to the one before says nothing of this one.
  const at = steps[row.step]
  const last = at?.unsent ? undefined : calls.findLast((call) => (call.step ?? 0) === row.step)
  const conflict = row.state === 'failed' && (at?.conflict ?? last?.code === 409)
  const gone = isGone(row)
  return {
    id: row.id,
    clusterId: row.clusterId,
    kind: row.kind,
    target: row.target,
    action: row.action,
    versionKind: row.versionKind as VersionKind | null,
    version: row.version,
    reason: row.reason,
    reviewAt: row.reviewAt?.toISOString() ?? null,
    batchId: row.batchId,
    actorName: row.actorName,
    state: row.state as ActionState,
    step: row.step,
    steps: steps.map(({ back: _, ...step }, i) => ({
      ...step,
      ...(i === row.step && ['failed', 'left'].includes(step.state) && mayBeStored(row) && { unsure: true as const }),
    })),
    waiting: waitingOf(row, steps),
    gone,
    goesOn: conflict && !gone && (!at?.cancels || beforeWayBack(row) !== null),
    back: gone ? null : wayBack(row).back,
    calls,
    error: row.error,
    answer: last?.answer ?? null,
    conflict,
    recordedAt: row.recordedAt.toISOString(),
    acceptedAt: row.acceptedAt?.toISOString() ?? null,
    seenAt: row.seenAt?.toISOString() ?? null,
  }
}

function waitingOf(row: OpenShiftAction, steps: ActionStep[]): ActionDto['waiting'] {
  if (row.state !== 'waiting' || !row.waitsSince) return null
  return {
    until: steps[row.step]?.waitsFor ?? 'its turn comes',
    since: row.waitsSince.toISOString(),
    overdue: Date.now() - row.waitsSince.getTime() > PATIENCE_MS,
  }
}
