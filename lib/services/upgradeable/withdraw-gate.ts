import { ackPatch } from '@/lib/domain/upgradeable/gates'
import { parseInput, requirePermission, type Ctx } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { ackTarget, gateKind } from '../openshift/kinds/gate'
import { overwrites } from '../openshift/overwrites'
import { recordAndApply } from '../openshift/record-action'
import { WithdrawInput } from './schemas'

/** Takes the acknowledgement of a gate back, also of one that is no longer asked for. */
export async function withdrawGate(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'skew:act')
  const { clusterId, gate, reason, resourceVersion, uid } = parseInput(WithdrawInput, input)
  const overwrote = await overwrites(clusterId, gateKind, ackTarget(gate), ['data', gate])
  return recordAndApply(ctx, {
    ...{ clusterId, kind: gateKind.kind, target: ackTarget(gate), action: 'withdraw', reason },
    wish: { gate, acknowledged: false },
    steps: [{ label: `Take back ${gate}`, body: ackPatch(gate, false) }],
    looked: { resourceVersion, uid },
    audit: { action: 'admin-gate.withdrawn', details: { gate, ...(overwrote && { overwrote }) } },
  })
}
