import { earlyMessages } from '../../../lib/domain/boot-images/counts'
import { DEGRADED, noStats, halfPass, PROGRESSING, type ConditionStep } from '../../../lib/domain/boot-images/pass'
import type { JsonObject } from '../../../lib/domain/json'
import { AS, conditionsWith, one, R, type Env } from './env'

const NOTHING = { total: 0, reconciled: 0, skipped: 0, degraded: 0, controlPlaneDegraded: 0, errors: null }
const [idle] = halfPass('sets', noStats(), [], () => {
  throw new Error('no set is asked about')
})

const defaults = (progressing: string, degraded: string): JsonObject[] => [
  { type: PROGRESSING, status: 'False', reason: 'NA', message: progressing },
  { type: DEGRADED, status: 'False', reason: 'NA', message: degraded },
]

/** What the controller puts into an empty list before it writes its first condition. */
const DEFAULTS = defaults(
  (idle as ConditionStep).message,
  '0 Degraded MAPI MachineSets | 0 Degraded ControlPlaneMachineSets | 0 Degraded CAPI MachineSets | 0 CAPI MachineDeployments',
)
const { progressing, degraded } = earlyMessages(NOTHING)
const EARLY = defaults(progressing, degraded)

/**
 * Conditions after one write of the boot image controller, or null where nothing changes. It replaces what is there; both
 * appear only where there is no list at all (updateConditions).
 */
export function afterStep(
  before: readonly JsonObject[] | undefined,
  { type, status, message }: ConditionStep,
  reason: string,
  early = false,
): JsonObject[] | null {
  const list = before ?? (early ? EARLY : DEFAULTS)
  const next = list.map((c) => (c.type === type ? { ...c, status, reason, message } : c))
  const same = (a: JsonObject | undefined, b: JsonObject) =>
    ['status', 'reason', 'message'].every((k) => a?.[k] === b[k])
  return before && next.every((c, i) => same(before[i], c)) ? null : next
}

/** Whether anything was written. */
export async function say(env: Env, step: ConditionStep, reason: string, early = false): Promise<boolean> {
  const configuration = one(env, R.configuration, 'cluster')
  if (!configuration) return false
  const next = afterStep(configuration.status?.conditions as JsonObject[] | undefined, step, reason, early)
  const conditions =
    next &&
    conditionsWith(
      configuration,
      next.map((c) => ({ type: c.type, status: c.status, reason: c.reason, message: c.message }) as never),
    )
  if (!conditions) return false
  await env.store.merge(R.configuration, 'cluster', { status: { conditions } }, AS.controller, 'status')
  return true
}
