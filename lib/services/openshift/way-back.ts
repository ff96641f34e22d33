import type { OpenShiftAction } from '@/lib/db/generated/client'
import { notStored } from '@/lib/domain/openshift/stored'
import { backOf, mayBeStored, stepsOf, type ActionStep } from './action-row'

export interface WayBack {
  /** As the object shows them: one whose answer was lost is stored where it is there. */
  steps: ActionStep[]
  back: NonNullable<ActionStep['back']> | null
}

/** What undoes all that is stored of an action. `now`: its object; needed where it may have taken the step that it is at. */
export function wayBack(row: Pick<OpenShiftAction, 'steps' | 'calls' | 'step' | 'attempts'>, now?: object): WayBack {
  const steps = stepsOf(row)
  const at = steps[row.step]
  const before = backOf(row)
  if (!before || !at || at.cancels || !now || !mayBeStored(row) || notStored(at.body, now).length > 0)
    return { steps, back: before }
  return { steps: steps.with(row.step, { ...at, state: 'stored' }), back: at.back ?? null }
}
