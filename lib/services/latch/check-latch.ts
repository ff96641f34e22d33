import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { parseInput, requirePermission, type Ctx } from '../context'
import { isFirst, mayLookNow } from '../clusters/looking'
import { ClusterId } from '../clusters/schemas'
import { inspectLatch } from './inspect'
import { latchError } from './outcome'
import type { LatchStatus } from './status'

/** Compares the latch in the cluster with what it should be, and tries it by a dry run. Changes nothing there. */
export async function checkLatch(ctx: Ctx, input: unknown): Promise<LatchStatus> {
  requirePermission(ctx, 'fleet:read')
  const { clusterId } = parseInput(ClusterId, input)
  const row = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { latchStatus: true } })
  if (row?.latchStatus && !mayLookNow(ctx, `latch ${clusterId}`)) return row.latchStatus as unknown as LatchStatus
  // What Drydock may do is shown above what is found: both are to be of now.
  if (row && isFirst(`discover ${clusterId}`))
    await db().$transaction((tx) => announce(tx, { topic: 'clusters', cluster: clusterId, discover: true }))
  try {
    return (await inspectLatch(clusterId)).status
  } catch (error) {
    throw latchError(error)
  }
}
