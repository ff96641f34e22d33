import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Prisma } from '@/lib/db/generated/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { oneWriter, requireGoesAsShown } from './goes-as-shown'
import { changed, gone } from './save-policy'
import { RemovePolicyInput } from './schemas'

/** Takes a policy out. Its versions stay readable; what it asked for, less specific ones say from now on. */
export async function removePolicy(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'policies:write')
  const { policyId, version, goes } = parseInput(RemovePolicyInput, input)
  const word = await requireGoesAsShown(goes, () => ({
    ids: [policyId],
    after: (before) => before.filter(({ id }) => id !== policyId),
  }))
  await db().$transaction(async (tx) => {
    await oneWriter(tx, word)
    const row = await tx.rolloutPolicy.findUnique({ where: { id: policyId } })
    if (!row) throw gone('Nothing is left to be done.')
    const { count } = await tx.rolloutPolicy.deleteMany({ where: { id: policyId, version } })
    if (count === 0) throw changed()
    await tx.rolloutPolicyVersion.create({
      data: { policyId, version: version + 1, name: row.name, actorName: ctx.actor.name },
    })
    await announce(tx, { topic: 'policies' })
    await recordAudit(tx, ctx, {
      action: 'rollout-policy.removed',
      target: { kind: 'RolloutPolicy', id: policyId, name: row.name },
      details: { version, spec: row.spec as Prisma.InputJsonValue },
    })
  })
}
