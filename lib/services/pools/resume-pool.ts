import { parseInput, requirePermission, type Ctx } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { actablePool } from './pool-of'
import { recordPool } from './record-pool'
import { ResumePoolInput } from './act-schemas'

/** Resumes a pool: its nodes begin at once to take up what waits for them. Any pool, whoever paused it. */
export async function resumePool(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'pools:resume')
  const { poolId, ...wish } = parseInput(ResumePoolInput, input)
  const { clusterId, name } = await actablePool(poolId)
  return recordPool(ctx, { clusterId, name, action: 'resume', ...wish })
}
