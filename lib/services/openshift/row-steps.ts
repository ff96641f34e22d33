import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import type { ActionStep, ApiCall } from './action-row'

export const callsOf = (row: Pick<OpenShiftAction, 'calls'>): ApiCall[] => row.calls as unknown as ApiCall[]

/** The steps of a row. One that an older Drydock recorded has none, and its one call. */
export function stepsOf(row: Pick<OpenShiftAction, 'steps' | 'calls'>): ActionStep[] {
  const steps = row.steps as unknown as ActionStep[]
  const call = callsOf(row).at(-1)
  return steps.length > 0 || !call ? steps : [{ label: '', body: call.body, state: 'open', at: null }]
}

/**
 * Of an earlier attempt at the step it is not known what became of it: it ended without writing that down, or without an answer that
 * says that nothing was stored.
 */
export function unanswered(row: Pick<OpenShiftAction, 'calls' | 'step' | 'attempts'>): boolean {
  const lasts = lastCalls(row)
  return Array.from({ length: row.attempts - 1 }, (_, i) => lasts.get(i + 1)).some(
    (last) => !last?.code || last.code >= 500,
  )
}

/** So of any attempt at the step that has ended, and nobody is at it: what an answer would have told, the object may. */
export const isAnswerLost = (row: Pick<OpenShiftAction, 'calls' | 'step' | 'attempts'>): boolean =>
  unanswered({ ...row, attempts: row.attempts + 1 })

/** The step is not known to be stored, and may be, in part or whole. For an action that nobody is at. */
export function mayBeStored(row: Pick<OpenShiftAction, 'calls' | 'step' | 'attempts' | 'generation'>): boolean {
  if (unanswered(row)) return true
  // The last attempt ended, and with no call none was made. Where a success stands, a part of it may be stored, unless nothing was.
  const last = lastCalls(row).get(row.attempts)
  if (last === undefined) return false
  return !last.code || last.code >= 500 || (last.code < 300 && !isSameSpec(last, row))
}

/** The API server counts every change of a spec; of other metadata than the version that it is bound to, none. */
const isSameSpec = ({ generation: then, body }: ApiCall, { generation: seen }: Pick<OpenShiftAction, 'generation'>) =>
  then !== undefined && seen !== null && BigInt(then) === seen && isOfSpec(body)
const isOfSpec = ({ metadata }: JsonObject): boolean =>
  Object.keys((metadata ?? {}) as JsonObject).every((key) => key === 'resourceVersion')

/** The last call of each attempt at the step. */
const lastCalls = (row: Pick<OpenShiftAction, 'calls' | 'step'>): Map<number | undefined, ApiCall> =>
  new Map(callsOf(row).flatMap((call) => (call.at && (call.step ?? 0) === row.step ? [[call.attempt, call]] : [])))

/** What was answered to a step that it is not at any more leaves open whether that is stored. */
export const wasUnanswered = (row: Pick<OpenShiftAction, 'calls'>, step: number): boolean => {
  const last = callsOf(row).findLast((call) => call.at && (call.step ?? 0) === step)
  return last !== undefined && (!last.code || last.code >= 500 || last.code < 300)
}

/** The highest number of an attempt at a step: another one after it has its own, for what was answered is told by it. */
export const attemptsAt = (row: Pick<OpenShiftAction, 'calls'>, step: number): number =>
  Math.max(0, ...callsOf(row).map((call) => (call.at && (call.step ?? 0) === step ? (call.attempt ?? 0) : 0)))
