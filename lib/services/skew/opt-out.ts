import { parseInput, requirePermission, type Ctx } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { recordSkew } from './record'
import { OptOutInput } from './schemas'

/** Switches enforcement off (None). */
export async function optOutSkew(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'skew:act')
  return recordSkew(ctx, { action: 'opt-out' }, parseInput(OptOutInput, input))
}
