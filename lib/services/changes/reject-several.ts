import { parseInput, requirePermission, type Ctx } from '../context'
import { decideEach, type OneResult } from './decide-each'
import { recordAndApply } from './record'
import { RejectSeveralInput } from './schemas'

/** Rejects each of several as if it were rejected alone. */
export async function rejectSeveral(ctx: Ctx, input: unknown): Promise<OneResult[]> {
  requirePermission(ctx, 'changes:reject')
  const { reason, changes } = parseInput(RejectSeveralInput, input)
  return decideEach(changes, ({ changeId, fingerprint }) =>
    recordAndApply(ctx, { changeId, fingerprint, mode: 'reject', reason }),
  )
}
