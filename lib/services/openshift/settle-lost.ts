import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { notStored } from '@/lib/domain/openshift/stored'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import { kindOf } from './kinds'
import { isAnswerLost, stepsOf } from './row-steps'

export const LOOK_FIRST_MS = 2_000
const MOST_MS = 30 * 60_000

type Bound = Pick<OpenShiftAction, 'uid' | 'generation'>

/** By the object's own counting, what was sent is all that was written since it was looked at. */
const isAlone = ({ uid, generation }: Bound, { metadata }: KubeObject): boolean =>
  (generation === null || (metadata.generation ?? 0) - Number(generation) <= 1) &&
  (uid === null || uid === metadata.uid)

/** What was sent stands there, and nobody else wrote meanwhile. */
export const isStoredAlone = (bound: Bound, body: JsonObject, now: KubeObject): boolean =>
  isAlone(bound, now) && notStored(body, now).length === 0

/**
 * A failed step whose answer was lost is looked for on its object, again and again, and ever less often. True: it stands there, and the
 * action is recorded anew, so that whoever takes it up finds the same and sends nothing.
 */
export async function settleLost(row: OpenShiftAction, at: number): Promise<boolean> {
  const step = stepsOf(row)[row.step]
  if (!step || !isAnswerLost(row)) return false
  const is = { id: row.id, state: 'failed', attempts: row.attempts, step: row.step }
  const now = await objectNow(row)
  if (now && isStoredAlone(row, step.body, now)) {
    const data = { state: 'recorded', claimedBy: null, claimedUntil: null, error: null }
    return (await db().openShiftAction.updateMany({ where: is, data })).count > 0
  }
  const age = at - Date.parse(step.tried ?? '')
  const next = Math.min(MOST_MS, Math.max(LOOK_FIRST_MS, age / 20 || 0))
  // Where others wrote since, no look can tell any more.
  const claimedUntil = now && !isAlone(row, now) ? null : new Date(at + next)
  await db().openShiftAction.updateMany({ where: is, data: { claimedUntil } })
  return false
}

/** Null: it cannot be read now. */
async function objectNow(row: OpenShiftAction): Promise<KubeObject | null> {
  const { resource, name, namespace } = kindOf(row.kind).target(row.target)
  try {
    return await (await kubeClientFor(row.clusterId)).get(resource, name, namespace)
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable || error instanceof ServiceError) return null
    throw error
  }
}
