import type * as z from 'zod'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { policyData } from './policy-data'
import { withLatchLock } from './lock'
import { mend } from './mend'
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

async function govern(ctx: Ctx, clusterId: string, asked: Asked): Promise<{ status: LatchStatus | null }> {
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
  // As it was looked at last, by what was governed until now.
  const known = cluster.latchStatus as unknown as LatchStatus | null
  return { status: await mend(ctx, await lookFirst(ctx, clusterId), known !== null && isWhole(known)) }
}
