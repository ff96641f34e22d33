import { db } from '@/lib/db/client'
import { fenceposts, type RolloutStrategy } from '@/lib/domain/rollout'
import { noRoomOf, type NoRoom } from '@/lib/domain/rollout/no-room'
import { strategyOfRow } from '../groups/strategy'
import type { ChangeDto } from './change-row'

/** How a MachineDeployment rolls, and how many it wants; null: it is none, or is not known. */
export async function rollsHow(
  group: Pick<ChangeDto, 'clusterId' | 'namespace'> & { kind: string; name: string },
): Promise<{ strategy: RolloutStrategy; replicas: number } | null> {
  const { clusterId, kind, namespace, name } = group
  if (kind !== 'MachineDeployment') return null
  const row = await db().group.findUnique({
    where: { clusterId_kind_namespace_name: { clusterId, kind, namespace, name } },
    select: { strategy: true, maxSurge: true, maxUnavailable: true, desiredReplicas: true },
  })
  return row && { strategy: strategyOfRow(row), replicas: row.desiredReplicas }
}

/** It may be rolled out with fewer available machines than it wants. */
export async function mayLack(group: Parameters<typeof rollsHow>[0]): Promise<boolean> {
  const how = await rollsHow(group)
  return how !== null && fenceposts(how.strategy, how.replicas).unavailable > 0
}

/** Of one that stopped: gone on with, it would stand still for machines that are not available; null: not so, as they are now. */
export async function noRoomFor(change: ChangeDto): Promise<NoRoom | null> {
  const { clusterId, groupKind, namespace, groupName, stopped } = change
  const how = stopped && (await rollsHow({ clusterId, kind: groupKind, namespace, name: groupName }))
  if (!how) return null
  const machines = await db().machine.findMany({
    where: { clusterId, groupKind, namespace, groupName },
    select: { id: true, name: true, upToDate: true, ready: true, updating: true, deleting: true },
    orderBy: { name: 'asc' },
  })
  const failed = await db().machineProgress.findMany({
    where: { changeId: change.id, state: 'failed' },
    select: { machineId: true },
  })
  const ids = new Set(failed.map(({ machineId }) => machineId))
  return noRoomOf(
    machines.map((machine) => ({ ...machine, failed: ids.has(machine.id) })),
    how.strategy,
    how.replicas,
  )
}
