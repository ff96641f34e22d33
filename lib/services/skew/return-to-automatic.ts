import { parseInput, requirePermission, type Ctx } from '../context'
import type { SkewActionDto } from './action-row'
import { recordAndApply } from './record'
import { ReturnInput } from './schemas'

/** Removes the stanza, so that the operator decides the mode again; with `manageAll` it has all machine sets managed in the same patch. */
export async function returnToAutomatic(ctx: Ctx, input: unknown): Promise<SkewActionDto> {
  requirePermission(ctx, 'skew:act')
  return recordAndApply(ctx, { action: 'automatic' }, parseInput(ReturnInput, input))
}
