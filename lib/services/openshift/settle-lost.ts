import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { notStored } from '@/lib/domain/openshift/stored'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import { kindOf } from './kinds'
import type { ActionStep } from './action-row'
import { isTheirs, oursSince } from './ours'
import { callsOf, isAnswerLost, stepsOf } from './row-steps'

export const LOOK_FIRST_MS = 2_000
const MOST_MS = 30 * 60_000
/** No API server stores what it was sent so long ago. */
const GIVEN_UP_MS = 24 * 3_600_000

type Bound = Pick<OpenShiftAction, 'uid' | 'generation'>

/** By the object's own counting, what was sent is all that was written since it was looked at. */
const isAlone = ({ uid, generation }: Bound, { metadata }: KubeObject): boolean =>
  (generation === null || (metadata.generation ?? 0) - Number(generation) <= 1) &&
  (uid === null || uid === metadata.uid)

/** What was sent stands there, nobody else wrote meanwhile, and as far as the object tells none of it is others' word. */
export const isStoredAlone = (bound: Bound, body: JsonObject, now: KubeObject): boolean =>
  isAlone(bound, now) && notStored(body, now).length === 0 && !isTheirs(body, now.metadata)

/**
 * By the object itself it was Drydock that set what stands there, and since the step was sent: it was others' before, or the object
 * names a later time. Where it was not read before it was sent, nobody knows.
 */
function isOurs(row: OpenShiftAction, body: JsonObject, { metadata }: KubeObject): boolean {
  const before = callsOf(row).findLast((call) => call.at && (call.step ?? 0) === row.step)?.oursSince
  const since = oursSince(body, metadata)
  return before !== undefined && since !== null && (before === null || since > before)
}

/**
 * A failed step whose answer was lost is looked for on its object, again and again, ever less often, and for a day. True: it stands there, and the
 * action is recorded anew, so that whoever takes it up finds the same and sends nothing.
 */
export async function settleLost(row: OpenShiftAction, at: number): Promise<boolean> {
  const step = stepsOf(row)[row.step]
  if (!step || !isAnswerLost(row)) return false
  const is = { id: row.id, state: 'failed', attempts: row.attempts, step: row.step }
  const found = await lookFor(row, step)
  if (found === 'stored') {
    const data = { state: 'recorded', claimedBy: null, claimedUntil: null, error: null }
    return (await db().openShiftAction.updateMany({ where: is, data })).count > 0
  }
  // A row of an older version has only the time of its call.
  const age = at - Date.parse(step.tried ?? callsOf(row).at(-1)?.at ?? '')
  const next = Math.min(MOST_MS, Math.max(LOOK_FIRST_MS, age / 20 || 0))
  const claimedUntil = found === 'untold' || !(age <= GIVEN_UP_MS) ? null : new Date(at + next)
  await db().openShiftAction.updateMany({ where: is, data: { claimedUntil } })
  return false
}

/** `untold`: others wrote since, or it stands there and the object does not name Drydock for it: no look can tell any more. */
async function lookFor(row: OpenShiftAction, step: ActionStep): Promise<'stored' | 'untold' | 'not yet'> {
  const kind = kindOf(row.kind)
  const { resource, name, namespace } = kind.target(row.target)
  try {
    const client = await kubeClientFor(row.clusterId)
    const now = await client.get(resource, name, namespace)
    if (!isAlone(row, now)) return 'untold'
    if (notStored(step.body, now).length > 0) return 'not yet'
    if (!isOurs(row, step.body, now)) return 'untold'
    const outlived = step.cancels ? null : await kind.still?.(row, client)
    return outlived ? 'not yet' : 'stored'
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable || error instanceof ServiceError)
      return 'not yet'
    throw error
  }
}
