import { parseInput, requirePermission, type Ctx } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { batchNow } from '../openshift/batch'
import { BatchInput } from './schemas'

/** How a decision on several clusters stands on each of them. */
export async function getBatch(ctx: Ctx, input: unknown): Promise<ActionDto[]> {
  requirePermission(ctx, 'fleet:read')
  return batchNow(parseInput(BatchInput, input).batchId)
}
