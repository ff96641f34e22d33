import { parseInput, requirePermission, type Ctx } from '../context'
import type { DecisionDto } from './change-row'
import { recordAndApply } from './record'
import { ApproveInput } from './schemas'

/** Lets a change go, in place or replacing: exactly the one that was looked at. A refusal is kept on the decision. */
export async function approveChange(ctx: Ctx, input: unknown): Promise<DecisionDto> {
  requirePermission(ctx, 'changes:approve')
  return recordAndApply(ctx, parseInput(ApproveInput, input))
}
