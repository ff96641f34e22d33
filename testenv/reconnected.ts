import { vi } from 'vitest'
import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { HELD } from '@/lib/domain/latch/names'
import { recordAudit } from '@/lib/services/audit/record'
import { forgetRows } from '@/lib/services/clusters/forget-rows'
import { systemCtx } from '@/lib/services/context'
import { annotations } from './deciding'
import type { Held } from './held'

interface How {
  aheadMs?: number
  details?: JsonObject
  meanwhile?: () => Promise<void>
  governed?: boolean
}

/** Its cluster was disconnected, by which its rows went, and is connected again: its group is listed anew, and not planned yet. */
export async function reconnected(held: Held, how: How = {}): Promise<void> {
  const { aheadMs = 0, details = {}, meanwhile = () => Promise.resolve(), governed = true } = how
  const { clusterId, groupId } = held.change
  const { id, kind, apiVersion, namespace, name, workloadCluster, resourceVersion, createdAt } =
    await db().group.findUniqueOrThrow({ where: { id: groupId } })
  if (aheadMs > 0) vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs })
  await db().$transaction(async (tx) => {
    await forgetRows(tx, clusterId)
    const target = { kind: 'ManagementCluster', id: clusterId, name: 'm' }
    const cluster = { id: clusterId, name: 'm' }
    await recordAudit(tx, systemCtx('test'), { action: 'cluster.disconnected', target, cluster, details })
  })
  vi.useRealTimers()
  await meanwhile()
  const group = { clusterId, id, kind, apiVersion, namespace, name, workloadCluster, resourceVersion, createdAt }
  await db().group.create({ data: { ...group, governed, held: (await annotations(held))[HELD] ?? null } })
}

/** The newest change of its group. */
export const newestOf = async (held: Held): Promise<Held> => ({
  ...held,
  change: await db().change.findFirstOrThrow({
    where: { groupId: held.change.groupId },
    orderBy: { detectedAt: 'desc' },
  }),
})
