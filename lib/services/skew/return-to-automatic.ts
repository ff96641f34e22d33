import { parseInput, requirePermission, type Ctx } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { recordSkew } from './record'
import { ReturnInput } from './schemas'

/** Removes the stanza, so that the operator decides the mode again; with `manageAll` it has all machine sets managed in the same patch. */
export async function returnToAutomatic(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'skew:act')
  return recordSkew(ctx, { action: 'automatic' }, parseInput(ReturnInput, input))
}
