import type { OpenShiftAction } from '@/lib/db/generated/client'
import { notStored } from '@/lib/domain/openshift/stored'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ActionStep } from './action-row'
import { callsOf, mayBeStored, stepsOf, wasUnanswered } from './row-steps'

type Row = Pick<OpenShiftAction, 'steps' | 'calls' | 'step' | 'attempts' | 'generation' | 'uid'>

export interface WayBack {
  /** As the object shows them: one whose answer was lost is stored where it is there. */
  steps: ActionStep[]
  back: NonNullable<ActionStep['back']> | null
  /** The step of which the object shows a part only; -1: none. */
  part: number
}

/** Which step may be stored without being known to be; -1: none. Of one that was taken back: if the way back did not come to that. */
export function unsureStep(row: Row): number {
  const steps = stepsOf(row)
  const at = steps[row.step]
  if (!at) return -1
  if (!at.cancels) return at.state !== 'stored' && mayBeStored(row) ? row.step : -1
  return steps.findIndex((step, i) => step.state === 'left' && !step.cancels && wasUnanswered(row, i))
}

/**
 * What undoes all that is stored of an action; where somebody's change came before that, the same for the object as it is by now.
 * `now`: its object, which tells whether it has taken a step that is not known to be stored; without it, it is taken for stored.
 */
export function wayBack(row: Row, now?: Pick<KubeObject, 'metadata'>): WayBack {
  const steps = stepsOf(row)
  const at = steps[row.step]
  if (at?.cancels && !(at.state === 'failed' && at.conflict)) return { steps, back: null, part: -1 }
  const before = steps.findLast((step) => step.state === 'stored' && !step.cancels)?.back ?? null
  const unsure = unsureStep(row)
  const step = steps[unsure]
  if (!step) return { steps, back: before, part: -1 }
  if (!now) return { steps, back: step.back ?? before, part: -1 }
  const missing = notStored(step.body, now).length > 0
  if (missing && !isPart(row, unsure, step, now)) return { steps, back: before, part: -1 }
  return {
    steps: steps.with(unsure, { ...step, state: 'stored' }),
    back: step.back ?? null,
    part: missing ? unsure : -1,
  }
}

/** The API server answered with the next generation, so it stored something, and nobody wrote since: what is there of it is ours. */
function isPart(row: Row, index: number, { back }: ActionStep, { metadata, ...now }: Pick<KubeObject, 'metadata'>) {
  const answer = callsOf(row).findLast((call) => call.at && (call.step ?? 0) === index)
  if (answer?.code !== 200 || answer.generation === undefined || row.generation === null) return false
  const stored = BigInt(answer.generation) === row.generation + 1n
  const alone = metadata.generation === answer.generation && metadata.uid === row.uid
  return stored && alone && back !== undefined && notStored(back.body, { metadata, ...now }).length > 0
}
