import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { notStored } from '@/lib/domain/openshift/stored'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import { stepsOf } from './row-steps'
import { kindOf } from './kinds'
import type { ActionStep } from './action-row'
import { isGone, whatStands } from './what-stands'

/** What a failed step says of those before it. */
const STANDS = /Of its \d+ steps [^.:]*/

/** A decision that stands in the middle says what of it is stored; where somebody took that away since, or put it back, that is said at once. */
export async function tellTakenAway(clusterId: string, key: string): Promise<void> {
  const row = await db().openShiftAction.findFirst({
    where: { clusterId, target: key, state: 'failed', step: { gt: 0 } },
    orderBy: { recordedAt: 'desc' },
  })
  if (!row) return
  const kind = kindOf(row.kind)
  const target = kind.target(key)
  let now: KubeObject
  try {
    const client = await kubeClientFor(clusterId)
    now = await client.get(target.resource, target.name, target.namespace)
  } catch (error) {
    // Whoever hears of the object looks again.
    if (error instanceof KubeError || error instanceof KubeUnreachable || error instanceof ServiceError) return
    throw error
  }
  const before = stepsOf(row)
  const was = isGone(row)
  const isAway = ({ state, body }: ActionStep) => state === 'stored' && notStored(body, now).length > 0
  const steps = before.map((step, i) => ({
    ...step,
    ...{ gone: undefined, again: undefined },
    ...(isAway(step)
      ? { gone: true as const }
      : (was || step.again) && step.state === 'stored' && { again: true as const }),
    // What it is bound to is another one by now: there is no going on.
    ...(i === row.step && { conflict: true as const }),
  }))
  if (steps.every(({ gone, again }, i) => gone === before[i]!.gone && again === before[i]!.again)) return
  const stands = whatStands({ ...row, steps: steps as unknown as Prisma.JsonArray })
  await db().$transaction(async (tx) => {
    const { count } = await tx.openShiftAction.updateMany({
      where: { id: row.id, state: 'failed', attempts: row.attempts, error: row.error },
      data: { steps: steps as unknown as Prisma.InputJsonValue, error: row.error?.replace(STANDS, stands) ?? null },
    })
    if (count > 0) await announce(tx, { topic: kind.topic, cluster: clusterId, ids: [row.id] })
  })
}
