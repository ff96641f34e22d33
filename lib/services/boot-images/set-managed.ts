import { parseInput, requirePermission, type Ctx } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { recordAndApply } from '../openshift/record-action'
import { managedAction } from './managed-action'
import { SetManagedInput } from './schemas'

/**
 * Says which machine sets the operator keeps current. Where it records the boot image by itself and is not to manage all of
 * them any more, that takes two writes, and the second waits for the operator.
 */
export async function setManaged(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'skew:act')
  return recordAndApply(ctx, await managedAction(parseInput(SetManagedInput, input)))
}
