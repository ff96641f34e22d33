import { ackPatch } from '@/lib/domain/upgradeable/gates'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import type { ActionDto } from '../openshift/action-row'
import { ackTarget, gateKind } from '../openshift/kinds/gate'
import { overwrites } from '../openshift/overwrites'
import { recordAndApply } from '../openshift/record-action'
import { readGate } from './read-gate'
import { AcknowledgeInput } from './schemas'

/** Acknowledges a gate, which is its text: one whose text is another by now is not acknowledged. */
export async function acknowledgeGate(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'skew:act')
  const { clusterId, gate, text, reason, resourceVersion, uid } = parseInput(AcknowledgeInput, input)
  const now = await readGate(await kubeClientFor(clusterId), gate)
  if (now !== text)
    throw new ServiceError('conflict', `The gate ${gate} says something else by now. Nothing was acknowledged.`, {
      hint: 'Read it anew, then decide again.',
    })
  const overwrote = await overwrites(clusterId, gateKind, ackTarget(gate), ['data', gate])
  return recordAndApply(ctx, {
    ...{ clusterId, kind: gateKind.kind, target: ackTarget(gate), action: 'acknowledge', reason },
    wish: { gate, acknowledged: true, text },
    steps: [{ label: `Acknowledge ${gate}`, body: ackPatch(gate, true) }],
    looked: { resourceVersion, uid },
    audit: { action: 'admin-gate.acknowledged', details: { gate, text, ...(overwrote && { overwrote }) } },
  })
}
