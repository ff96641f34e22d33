import { db } from '@/lib/db/client'
import { KubeError, KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import { stepsOf } from './action-row'
import { failureOf } from './failure'
import { kindOf } from './kinds'

/**
 * Whether an action is to be claimed. One that waits is looked at without being claimed, so that it can be cancelled at any
 * moment: due is what has come, and what somebody else changed meanwhile.
 */
export async function isDue(id: string): Promise<boolean> {
  const row = await db().openShiftAction.findUnique({ where: { id } })
  if (row?.state !== 'waiting') return row !== null
  if (stepsOf(row)[row.step]?.waitsFor === undefined) return true
  const kind = kindOf(row.kind)
  const target = kind.target(row.target)
  let client: KubeClient | undefined
  try {
    client = await kubeClientFor(row.clusterId)
    const now = await client.get(target.resource, target.name, target.namespace)
    const { uid, generation = 0 } = now.metadata
    const changed =
      (row.uid !== null && uid !== row.uid) || (row.generation !== null && BigInt(generation) !== row.generation)
    if (changed || kind.ready?.(now, row.step, row)) return true
    await later(id, null)
  } catch (error) {
    if (!(error instanceof KubeError || error instanceof KubeUnreachable || error instanceof ServiceError)) throw error
    const { sentence } = error instanceof KubeUnreachable ? UNHEARD : await failureOf(error, kind, target, client)
    await later(id, sentence)
  }
  return false
}

const UNHEARD = { sentence: 'The cluster does not answer; it is asked again by itself.' }

/** Who hears nothing of the object looks again after so long. */
const LOOK_MS = 5_000

async function later(id: string, error: string | null): Promise<void> {
  const claimedUntil = new Date(Date.now() + LOOK_MS)
  await db().openShiftAction.updateMany({ where: { id, state: 'waiting' }, data: { error, claimedUntil } })
}
