import { SETTLE_MS } from '../skew/settle'
import { stuckAfter } from '../skew/stuck-pass'
import type { Condition } from '../skew/types'
import { controllerState } from '../skew/upgradeable'
import { passCounts } from './counts'
import { causesOf, errorsBySet, failedPass } from './errors'

/**
 * What is to be told of a failed pass, whatever the mode; `again`: look again after so many ms. It is told once it stood still for
 * some seconds: a control plane's failure stands only until the pass comes to the machine sets. And it stands while the next pass is
 * under way, whose first act is to clear its status; the number of failed sets stays what it was until its end. One that stands still
 * tells nothing of the pass before it any more: what that failed at may be repaired, and the operator is not degraded.
 */
export function settleFailed(
  before: string | null,
  conditions: readonly Condition[],
  stillMs: number,
): { said: string | null; again: number | null } {
  const said = failedPass(conditions)
  if (said !== null) {
    const left = before === null ? SETTLE_MS - stillMs : 0
    return left > 0 ? { said: null, again: left } : { said, again: null }
  }
  // Made anew, or not to be read, it says nothing of any pass.
  if (conditions.length === 0) return { said: null, again: null }
  const counts = passCounts(conditions)
  const underWay = controllerState(conditions) === 'working' || (counts?.degraded ?? 0) > 0
  const left = stuckAfter(counts?.total ?? 0) - stillMs
  return before !== null && underWay && left > 0 ? { said: before, again: left } : { said: null, again: null }
}

/** "Boot images could not be updated for 2 machine sets." */
export function failedSentence(said: string): string {
  const sets = errorsBySet(said).size
  return `Boot images could not be updated${sets ? ` for ${sets} machine ${sets === 1 ? 'set' : 'sets'}` : ''}.`
}

/** The causes alone, each once, in the operator’s words and with whom it failed on: for where its whole list has no room. */
export function failedCauses(said: string): string {
  const at = new Map<string, string[]>()
  for (const { name, cause } of causesOf(said)) {
    const words = cause.replace(/\.$/, '')
    at.set(words, [...(at.get(words) ?? []), name])
  }
  if (at.size === 0) return said
  return [...at]
    .map(([cause, [first, ...more]]) => `${cause} (${first}${more.length > 0 ? ` and ${more.length} more` : ''})`)
    .join('; ')
}

/** Whether it was over before it came to the machine sets: what the operator counts is then of a pass before. */
export const couldNotBegin = (said: string): boolean => causesOf(said).length === 0

/** What becomes of the operator, and what makes it try again; that a Secret is mended, for one, it does not notice. */
const DEGRADED_SINCE =
  'ClusterOperator machine-config is Degraded from the end of such a pass until another begins, and again after that one until this is repaired.'
const BEGINS =
  'A pass begins with an annotation on any machine set, and when the ConfigMap coreos-bootimages changes or is made anew.'
/** What it refused is counted in its memory: further passes refuse it again. */
const HOT_LOOP_SINCE =
  'Against the hot loop a pass does nothing. Once whoever puts the image back is stopped, the operator forgets it when managed machine sets are none and then as before, or with a restart of the machine-config-controller.'

/** That is read anew with what is managed, and no other pass gets further. */
const SELECTOR_SINCE =
  'What has to be mended is the selector of machinesets (spec.managedBootImages of MachineConfiguration cluster): choose anew which of them are managed. A pass begins with that.'

/** What follows from a pass that failed like this, and what ends it. */
export function failedSince(said: string): string {
  const ends = /failed to create a machineset selector/.test(said)
    ? SELECTOR_SINCE
    : /hot loop detected/.test(said)
      ? `${BEGINS} ${HOT_LOOP_SINCE}`
      : BEGINS
  return `${DEGRADED_SINCE} ${ends}`
}
