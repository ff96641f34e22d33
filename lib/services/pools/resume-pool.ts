import { parseInput, requirePermission, type Ctx } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { actablePool, requireNotHeld } from './pool-of'
import { recordPool } from './record-pool'
import { ResumePoolInput } from './act-schemas'

/** Resumes a pool: its nodes begin at once to take up what waits for them. Any pool, whoever paused it, unless a configuration waits for approval there. */
export async function resumePool(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'pools:resume')
  const { poolId, ...wish } = parseInput(ResumePoolInput, input)
  const { clusterId, name } = await actablePool(poolId)
  await requireNotHeld(clusterId, poolId, name)
  return recordPool(ctx, { clusterId, name, action: 'resume', ...wish })
}
