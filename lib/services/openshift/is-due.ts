import { db } from '@/lib/db/client'
import type { OpenShiftAction, Prisma } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import { KubeError, KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import { stepsOf } from './row-steps'
import { failureOf } from './failure'
import { kindOf } from './kinds'
import { settleLost } from './settle-lost'

/**
 * Whether an action is to be claimed. One that waits is looked at without being claimed, so that it can be cancelled at any
 * moment: due is what has come, and what somebody else changed meanwhile; and what failed for want of an answer, and was stored.
 */
export async function isDue(id: string, clock?: number): Promise<boolean> {
  const at = clock ?? (await databaseNow(db())).getTime()
  const row = await db().openShiftAction.findUnique({ where: { id } })
  if (row?.state === 'failed') return settleLost(row, at)
  if (row?.state !== 'waiting') return row !== null
  const step = stepsOf(row)[row.step]
  if (step?.waitsFor === undefined) return true
  const kind = kindOf(row.kind)
  const target = kind.target(row.target)
  let client: KubeClient | undefined
  try {
    client = await kubeClientFor(row.clusterId)
    const now = await client.get(target.resource, target.name, target.namespace)
    const { uid, generation = 0 } = now.metadata
    const changed =
      (row.uid !== null && uid !== row.uid) || (row.generation !== null && BigInt(generation) !== row.generation)
    if (changed) return true
    if (!kind.ready?.(now, row.step, row)) {
      await later(row, null, at)
      return false
    }
    const since = step.readySince ? Date.parse(step.readySince) : at
    const left = since + (kind.settleMs ?? 0) - at
    if (left <= 0) return true
    await later(row, null, at, { since, left })
  } catch (error) {
    if (!(error instanceof KubeError || error instanceof KubeUnreachable || error instanceof ServiceError)) throw error
    const { sentence } = error instanceof KubeUnreachable ? UNHEARD : await failureOf(error, kind, target, client)
    await later(row, sentence, at)
  }
  return false
}

const UNHEARD = { sentence: 'The cluster does not answer; it is asked again by itself.' }

/** Who hears nothing of the object looks again after so long. */
const LOOK_MS = 5_000

/** `ready`: what it waits for is there, and is believed when it still is then. Without a look nothing is known of it any more. */
async function later(row: OpenShiftAction, error: string | null, at: number, ready?: { since: number; left: number }) {
  const steps = stepsOf(row).map(({ readySince: _, ...step }, i) =>
    ready && i === row.step ? { ...step, readySince: new Date(ready.since).toISOString() } : step,
  )
  await db().openShiftAction.updateMany({
    where: { id: row.id, state: 'waiting', step: row.step },
    data: {
      ...{ error, steps: steps as unknown as Prisma.InputJsonValue },
      claimedUntil: new Date(at + Math.min(LOOK_MS, ready?.left ?? LOOK_MS)),
    },
  })
}
