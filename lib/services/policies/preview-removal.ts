import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { atOnce, type AtOnce } from './at-once'
import { readPolicies } from './read-policies'
import { PolicyVersionsInput } from './schemas'

/** What taking a policy out does at once to changes that are there; nothing is written. */
export async function previewRemoval(ctx: Ctx, input: unknown): Promise<AtOnce> {
  requirePermission(ctx, 'policies:write')
  const { policyId } = parseInput(PolicyVersionsInput, input)
  const before = await readPolicies(db(), [policyId])
  return atOnce(
    db(),
    before,
    before.filter(({ id }) => id !== policyId),
  )
}
