import type * as z from 'zod'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { inspectLatch, writeStatus } from './inspect'
import { policyData } from './policy-data'
import { withLatchLock } from './lock'
import { requireLookedAt } from './looked-at'
import { mend } from './mend'
import { latchError } from './outcome'
import { lookFirst } from './repair-latch'
import { SetGovernanceInput } from './schemas'
import { isWhole, type LatchStatus } from './status'
import { latchTarget } from './target'

type Asked = Omit<z.infer<typeof SetGovernanceInput>, 'clusterId'>

/** Chooses which groups are governed. Where the latch is installed, its bindings follow at once; what is held stays held. */
export async function setGovernance(ctx: Ctx, input: unknown): Promise<{ status: LatchStatus | null }> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, ...asked } = parseInput(SetGovernanceInput, input)
  return withLatchLock(clusterId, () => govern(ctx, clusterId, asked))
}

async function govern(
  ctx: Ctx,
  clusterId: string,
  { version, ...asked }: Asked,
): Promise<{ status: LatchStatus | null }> {
  const before = await latchTarget(clusterId, asked)
  requireLookedAt(before, version)
  const follows = before.cluster.latchForm !== 'none' && (await isUntouched(clusterId))
  // Which pools it is for that look may have written down.
  const target = await latchTarget(clusterId, asked)
  const { cluster } = target
  const data = policyData(target, asked)
  await db().$transaction(async (tx) => {
    await tx.policy.upsert({
      where: { clusterId },
      create: { clusterId, ...data },
      update: { ...data, version: { increment: 1 } },
    })
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await announce(tx, { topic: 'groups', cluster: clusterId })
    await recordAudit(tx, ctx, {
      action: 'policy.changed',
      target: { kind: 'Policy', id: clusterId, name: cluster.name },
      cluster: { id: clusterId, name: cluster.name },
      details: data,
    })
  })
  if (cluster.latchForm === 'none') return { status: null }
  const seen = await lookFirst(ctx, clusterId, follows)
  try {
    return { status: await mend(ctx, seen, follows) }
  } catch (error) {
    await writeStatus(clusterId, seen.status)
    throw error
  }
}

/**
 * Looked at right before, by what was governed until now: what somebody took away did not follow that. Where nobody can look, the next
 * look says why.
 */
async function isUntouched(clusterId: string): Promise<boolean> {
  try {
    return isWhole((await inspectLatch(clusterId)).status)
  } catch (error) {
    if (latchError(error) === error && !(error instanceof ServiceError)) throw error
    return false
  }
}
