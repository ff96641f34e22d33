import { db } from '@/lib/db/client'
import type { Updater } from '@/lib/db/generated/client'

/** The updaters of a management cluster, in the order in which they are asked. */
export function updatersFor(clusterId: string): Promise<Updater[]> {
  return db().updater.findMany({
    where: { OR: [{ clusterId }, { clusterId: null }] },
    orderBy: [{ position: 'asc' }, { createdAt: 'asc' }],
  })
}
