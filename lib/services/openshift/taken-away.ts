import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { notStored } from '@/lib/domain/openshift/stored'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import { stepsOf } from './row-steps'
import { kindOf } from './kinds'
import { whatStands } from './what-stands'

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
  const steps = before.map(({ gone: _, ...step }, i) => ({
    ...step,
    ...(step.state === 'stored' && notStored(step.body, now).length > 0 && { gone: true as const }),
    // What it is bound to is another one by now: there is no going on.
    ...(i === row.step && { conflict: true as const }),
  }))
  if (steps.every((step, i) => step.gone === before[i]!.gone)) return
  const [was, is] = [whatStands(row), whatStands({ ...row, steps: steps as unknown as Prisma.JsonArray })]
  await db().$transaction(async (tx) => {
    const { count } = await tx.openShiftAction.updateMany({
      where: { id: row.id, state: 'failed', attempts: row.attempts, error: row.error },
      data: { steps: steps as unknown as Prisma.InputJsonValue, error: row.error?.replace(was, is) ?? null },
    })
    if (count > 0) await announce(tx, { topic: kind.topic, cluster: clusterId, ids: [row.id] })
  })
}
