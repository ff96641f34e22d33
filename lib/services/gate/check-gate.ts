import { db } from '@/lib/db/client'
import { mayLookNow } from '../clusters/looking'
import { parseInput, requirePermission, type Ctx } from '../context'
import { asServiceError } from './refusal'
import { lookAtGate } from './look'
import { GateInput } from './schemas'
import type { GateStatus } from './status'

/** Whether the gate is registered, discovered, and the only one that handles its hooks. */
export async function checkGate(ctx: Ctx, input: unknown): Promise<GateStatus> {
  requirePermission(ctx, 'fleet:read')
  const { clusterId } = parseInput(GateInput, input)
  const row = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { gateStatus: true } })
  if (row?.gateStatus && !mayLookNow(ctx, `gate ${clusterId}`)) return row.gateStatus as unknown as GateStatus
  return asServiceError(() => lookAtGate(clusterId))
}
