import { parseInput, requirePermission, type Ctx } from '../context'
import type { SkewActionDto } from './action-row'
import { recordAndApply } from './record'
import { OptOutInput } from './schemas'

/** Switches enforcement off (None). */
export async function optOutSkew(ctx: Ctx, input: unknown): Promise<SkewActionDto> {
  requirePermission(ctx, 'skew:act')
  return recordAndApply(ctx, { action: 'opt-out' }, parseInput(OptOutInput, input))
}
