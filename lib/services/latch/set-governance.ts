import type * as z from 'zod'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { requireLettingGo } from './barred'
import { inspectLatch, writeStatus } from './inspect'
import { policyData } from './policy-data'
import { withLatchLock } from './lock'
import { requireLookedAt } from './looked-at'
import { mend } from './mend'
import { latchError } from './outcome'
import { lookFirst } from './repair-latch'
import { SetGovernanceInput } from './schemas'
import { isWhole, type LatchStatus } from './status'
import { latchTarget, type LatchTarget } from './target'

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
  // What is latched already stays so.
  const { governs = 'none', pools } = before.cluster.policy ?? {}
  const begins = governs === 'none' && before.governance.governs !== 'none'
  if (begins || (asked.pools && pools !== 'same-write')) requireLettingGo(before)
  const follows = before.cluster.latchForm !== 'none' && (await isUntouched(clusterId))
  // Which pools it is for that look may have written down.
  const target = await latchTarget(clusterId, asked)
  const { cluster } = target
  const data = policyData(target, asked)
  // Whoever does not come to that leaves it to the keeper, who looks in some 45 seconds: nobody is to take it for whole until then.
  const notYet = isFollowed(target, data) ? notFollowing(cluster.latchStatus as LatchStatus | null) : null
  await db().$transaction(async (tx) => {
    if (notYet) await tx.managementCluster.update({ where: { id: clusterId }, data: { latchStatus: notYet } })
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
  const seen = await lookFirst(ctx, clusterId, { follows })
  try {
    return { status: await mend(ctx, seen, follows) }
  } catch (error) {
    await writeStatus(clusterId, seen.status)
    throw error
  }
}

/** Something in the cluster has to follow what is chosen. */
const isFollowed = (
  { cluster, form }: LatchTarget,
  { reasonNeeded: _, ...data }: ReturnType<typeof policyData>,
): boolean =>
  form !== 'watch' &&
  cluster.latchForm !== 'none' &&
  Object.entries(data).some(([key, value]) => cluster.policy?.[key as keyof typeof data] !== value)

/** What was found was found of what was governed until now. */
function notFollowing(before: LatchStatus | null): Prisma.InputJsonObject {
  const { since: _, ...known } = before ?? { findings: [] }
  const message = 'What is governed was changed just now, and the latch does not follow that yet.'
  return { ...known, state: 'unknown', message, proved: null } as unknown as Prisma.InputJsonObject
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
