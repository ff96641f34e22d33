import type { OpenShiftAction } from '@/lib/db/generated/client'
import { notStored, pathsOf } from '@/lib/domain/openshift/stored'
import type { ActionStep } from './action-row'
import { stepsOf, mayBeStored } from './row-steps'

/**
 * Where a step failed: what was made of the whole action; and, where the object is at hand, whether that is there still. What became of
 * an earlier attempt at the step may not be known.
 */
export function whatStands(
  row: Pick<OpenShiftAction, 'steps' | 'calls' | 'step' | 'attempts' | 'generation'>,
  now?: object,
): string {
  const all = stepsOf(row)
  const stored = all.filter((step) => step.state === 'stored')
  const isUnsure = mayBeStored(row)
  if (stored.length === 0) return isUnsure ? 'Whether an earlier try was stored is not known' : NOTHING_CHANGED
  const gone = stored.some((step) => (now ? notStored(step.body, now).length > 0 : step.gone))
  const again = stored.some((step) => step.again)
  const were = stored.length === 1 ? '1 was' : `${stored.length} were`
  const steps = all.filter((step) => !step.cancels).length
  const more = `whether ${all[row.step]?.cancels ? 'that was taken back' : 'one more was'} is not known`
  return `Of its ${steps} steps ${were} stored, and ${gone ? GONE : again ? AGAIN : isUnsure ? more : 'no more'}`
}
const GONE = 'is not there any more'
const AGAIN = 'stands there again after somebody else wrote over it'

/** Somebody else wrote over what was stored: there is nothing to go on with, or to take back. */
export const isGone = (row: Pick<OpenShiftAction, 'state' | 'steps' | 'calls' | 'error'>): boolean =>
  (row.state === 'failed' && (row.error ?? '').includes(GONE)) || stepsOf(row).some((step) => step.gone)

/** Fields of stored steps that the object shows otherwise by now; what a later step of it wrote over is not looked at. */
export function overwritten(steps: readonly ActionStep[], now: object): string[] {
  const stored = steps.filter((step) => step.state === 'stored')
  const paths = stored.map(({ body }) => pathsOf(body).map((path) => path.join('.')))
  return stored.flatMap(({ body }, i) => {
    const later = new Set(paths.slice(i + 1).flat())
    return notStored(body, now).filter((path) => !later.has(path))
  })
}

export const NOTHING_CHANGED = 'Nothing was changed'
