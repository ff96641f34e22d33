import { parseInput, requirePermission, type Ctx } from '../context'
import type { DecisionDto } from './change-row'
import { recordAndApply } from './record'
import { RejectInput } from './schemas'

/** Keeps a change held and says on the object who rejected it and why. */
export async function rejectChange(ctx: Ctx, input: unknown): Promise<DecisionDto> {
  requirePermission(ctx, 'changes:reject')
  return recordAndApply(ctx, { ...parseInput(RejectInput, input), mode: 'reject' })
}
