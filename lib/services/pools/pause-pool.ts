import { parseInput, requirePermission, type Ctx } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { actablePool, requirePausable } from './pool-of'
import { recordPool } from './record-pool'
import { PausePoolInput } from './act-schemas'

/** Pauses a pool: nodes that have not begun keep what they have, until somebody resumes it. Never the control plane’s. */
export async function pausePool(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'pools:act')
  const { poolId, ...wish } = parseInput(PausePoolInput, input)
  const { clusterId, name } = await actablePool(poolId)
  requirePausable(name)
  return recordPool(ctx, { clusterId, name, action: 'pause', ...wish })
}
