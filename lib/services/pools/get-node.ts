import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { nodeDto, type NodeDto } from './node-dto'
import { GetNodeInput } from './schemas'

export interface NodeDetail extends NodeDto {
  cluster: string
  /** Its Machine; null: it has none here (bare metal without Machine API, a capability that is off). */
  machine: { id: string; name: string } | null
}

/** One node of a pool: every step of its update, and what its drain waits for. */
export async function getPoolNode(ctx: Ctx, input: unknown): Promise<NodeDetail> {
  requirePermission(ctx, 'fleet:read')
  const { id, node } = parseInput(GetNodeInput, input)
  const pool = await db().configPool.findUnique({ where: { id }, include: { cluster: true } })
  const row =
    pool && (await db().configNode.findUnique({ where: { clusterId_name: { clusterId: pool.clusterId, name: node } } }))
  if (!pool || !row || row.pool !== pool.name)
    throw new ServiceError('not-found', `There is no node ${node} in this pool.`, {
      hint: 'It was deleted, or its labels make it a member of another pool now.',
    })
  const machine = await db().machine.findFirst({
    where: { clusterId: pool.clusterId, node },
    select: { id: true, name: true },
  })
  return { ...nodeDto(row, pool), cluster: pool.cluster.name, machine }
}
