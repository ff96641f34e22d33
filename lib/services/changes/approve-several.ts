import { parseInput, requirePermission, type Ctx } from '../context'
import { decideEach, type OneResult } from './decide-each'
import { recordAndApply } from './record'
import { ApproveSeveralInput } from './schemas'

/** Approves each of several as if it were approved alone: bound to what was looked at, on its own record, with its own result. */
export async function approveSeveral(ctx: Ctx, input: unknown): Promise<OneResult[]> {
  requirePermission(ctx, 'changes:approve')
  const { mode, reason, changes } = parseInput(ApproveSeveralInput, input)
  return decideEach(changes, (looked) => recordAndApply(ctx, { ...looked, mode, reason }))
}
