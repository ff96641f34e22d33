import type { OpenShiftAction } from '@/lib/db/generated/client'
import { stepsOf, storedOf } from './action-row'

/** Where a step failed: what is there of the whole action. */
export function whatStands(row: Pick<OpenShiftAction, 'steps' | 'calls'>): string {
  const stored = storedOf(row)
  const steps = stepsOf(row).filter((step) => !step.cancels).length
  return stored > 0
    ? `Of its ${steps} steps ${stored === 1 ? '1 is' : `${stored} are`} stored, and no more`
    : NOTHING_CHANGED
}

export const NOTHING_CHANGED = 'Nothing was changed'
