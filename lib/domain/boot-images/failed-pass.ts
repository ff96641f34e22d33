import { SETTLE_MS } from '../skew/settle'
import type { Condition } from '../skew/types'
import { controllerState } from '../skew/upgradeable'
import { passCounts } from './counts'
import { causesOf, errorsBySet, failedPass } from './errors'

/**
 * What is to be told of a failed pass, whatever the mode; `again`: look again after so many ms. It is told once it stood still for
 * some seconds: a control plane's failure stands only until the pass comes to the machine sets. And it stands while the next pass is
 * under way, whose first act is to clear its status; the number of failed sets stays what it was until its end.
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
  const underWay = controllerState(conditions) === 'working' || (passCounts(conditions)?.degraded ?? 0) > 0
  return { said: underWay ? before : null, again: null }
}

/** "Boot images could not be updated for 2 machine sets." */
export function failedSentence(said: string): string {
  const sets = errorsBySet(said).size
  return `Boot images could not be updated${sets ? ` for ${sets} machine ${sets === 1 ? 'set' : 'sets'}` : ''}.`
}

/** The causes alone, each once, in the operator’s words and with whom it failed on: for where its whole list has no room. */
export function failedCauses(said: string): string {
  const at = new Map<string, string[]>()
  for (const { name, cause } of causesOf(said)) at.set(cause, [...(at.get(cause) ?? []), name])
  if (at.size === 0) return said
  return [...at]
    .map(([cause, [first, ...more]]) => `${cause} (${first}${more.length > 0 ? ` and ${more.length} more` : ''})`)
    .join('; ')
}

/** What becomes of the operator, and what makes it try again; that a Secret is mended, for one, it does not notice. */
export const FAILED_SINCE =
  'ClusterOperator machine-config is Degraded until that is repaired and another pass begins: one does with an annotation on any machine set, and when the ConfigMap coreos-bootimages changes or is made anew.'
