import { db } from '@/lib/db/client'
import { lastRefusal } from '../audit/last-refusal'
import { recordAudit } from '../audit/record'
import { ClusterId } from '../clusters/schemas'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { applyAll } from './apply'
import { inspectLatch } from './inspect'
import type { LatchStatus } from './status'

/** Puts back what is missing or changed, and takes away what is ours and no longer wanted. */
export async function repairLatch(ctx: Ctx, input: unknown): Promise<LatchStatus> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId } = parseInput(ClusterId, input)
  const { target, client, status: before } = await inspectLatch(clusterId)
  const { cluster } = target
  if (cluster.latchForm === 'none') {
    throw new ServiceError('conflict', `No latch is installed on ${cluster.name}.`, { hint: 'Install it first.' })
  }
  if (before.state === 'intact') return before
  const audit = {
    action: 'latch.repaired',
    target: { kind: 'Latch', id: clusterId, name: cluster.name },
    cluster: { id: clusterId, name: cluster.name },
    reason: before.message,
  }
  try {
    const answers = await applyAll(client, target)
    const { status } = await inspectLatch(clusterId, { patiently: true })
    await db().$transaction((tx) =>
      recordAudit(tx, ctx, {
        ...audit,
        result: status.state === 'intact' ? 'ok' : 'failed',
        answer: answers.join('\n'),
      }),
    )
    return status
  } catch (error) {
    // The keeper repeats it every few seconds: the first refusal is told, the same one again is not.
    if (!(error instanceof ServiceError)) throw error
    const answer = error.more.answer ?? error.message
    if (answer !== (await lastRefusal(audit.action, audit.target)))
      await db().$transaction((tx) => recordAudit(tx, ctx, { ...audit, result: 'refused', answer }))
    throw error
  }
}
