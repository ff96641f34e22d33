import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { ActionState } from '../openshift/action-row'
import { mayBeStored, stepsOf } from '../openshift/row-steps'

/** How far a decision on OpenShift came. */
export interface OpenShiftFate {
  state: ActionState
  error: string | null
  /** Of its steps, those that the cluster took. */
  steps: number
  stored: number
  /** Whether the step that it is at was stored is not known. */
  unsure: boolean
  /** What was stored is being taken back. */
  takesBack: boolean
}

export const FATE = { state: true, error: true, steps: true, step: true, calls: true, attempts: true, generation: true }

export function openShiftFate(row: Pick<OpenShiftAction, keyof typeof FATE>): OpenShiftFate {
  const all = stepsOf(row)
  const own = all.filter((step) => !step.cancels)
  return {
    state: row.state as ActionState,
    error: row.error,
    steps: own.length,
    stored: own.filter((step) => step.state === 'stored').length,
    unsure: mayBeStored(row),
    takesBack: all[row.step]?.cancels === true,
  }
}
