import type { OpenShiftAction, Prisma } from '@/lib/db/generated/client'
import { attemptsAt, mayBeStored, stepsOf } from './row-steps'
import { unsureStep } from './way-back'

type Row = Pick<OpenShiftAction, 'state' | 'steps' | 'calls' | 'step' | 'attempts' | 'generation' | 'uid'>

/**
 * An action whose way back came after somebody's change, as it stood before that: from there it goes on, for what is there now. Null: it
 * is no such one; nothing is left of it; or whether one of its writes is stored is not known, and then only the object tells.
 */
export function beforeWayBack<T extends Row>(row: T): T | null {
  const steps = stepsOf(row)
  const at = steps[row.step]
  if (row.state !== 'failed' || !at?.cancels || !at.conflict || mayBeStored(row) || unsureStep(row) >= 0) return null
  const own = steps.filter((step) => !step.cancels)
  const step = own.findIndex(({ state }) => state !== 'stored')
  if (step < 0) return null
  return { ...row, steps: own as unknown as Prisma.JsonValue, step, attempts: attemptsAt(row, step) }
}
