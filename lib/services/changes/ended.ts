import { db, type Tx } from '@/lib/db/client'

/** How a superseded change came to its end: a newer one took its place, its group was deleted, or its cluster disconnected. */
export type Ended = 'newer' | 'deleted' | 'disconnected'

interface Over {
  id: string
  clusterId: string
  groupId: string
  state: string
  detectedAt: Date | string
}

/** Of those that are superseded, by id. */
export async function endedOf(changes: readonly Over[], tx: Tx = db()): Promise<Record<string, Ended>> {
  const over = changes.filter(({ state }) => state === 'superseded')
  if (over.length === 0) return {}
  const clusterIds = [...new Set(over.map(({ clusterId }) => clusterId))]
  const [newest, left] = await Promise.all([
    tx.change.groupBy({
      by: ['clusterId', 'groupId'],
      where: { clusterId: { in: clusterIds }, groupId: { in: over.map(({ groupId }) => groupId) } },
      _max: { detectedAt: true },
    }),
    tx.change.findMany({
      where: { id: { in: over.map(({ id }) => id) }, leftAfter: { not: null } },
      select: { id: true },
    }),
  ])
  const newestAt = new Map(newest.map((group) => [`${group.clusterId} ${group.groupId}`, group._max.detectedAt]))
  const disconnected = new Set(left.map(({ id }) => id))
  return Object.fromEntries(
    over.map(({ id, clusterId, groupId, detectedAt }): [string, Ended] => {
      if (disconnected.has(id)) return [id, 'disconnected']
      const last = newestAt.get(`${clusterId} ${groupId}`)
      return [id, last && last > new Date(detectedAt) ? 'newer' : 'deleted']
    }),
  )
}
