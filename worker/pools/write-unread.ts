import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { isOwned } from '../owned'
import { heardLast } from '../silence'
import type { ClusterView } from '../types'
import type { SilentPools } from './silent'
import { unheardOf } from './unheard'

/** Pools were not listed since this worker follows them: what another one judged before may not stand there as if it were of now. */
export async function writeUnread({ clusterId, fence }: ClusterView, silent: SilentPools): Promise<void> {
  if (!silent.pools) return
  await db().$transaction(async (tx) => {
    if (!(await isOwned(tx, clusterId, fence))) return
    const rows = await tx.configPool.findMany({ where: { clusterId }, orderBy: { id: 'asc' } })
    if (rows.length === 0) return
    const heard = await heardLast(tx, clusterId, silent.streams)
    for (const row of rows) {
      const unheardSince = heard ?? row.unheardSince ?? row.seenAt
      await tx.configPool.update({ where: { id: row.id }, data: { ...unheardOf(row, silent), unheardSince } })
    }
    await announce(tx, { topic: 'pools', cluster: clusterId })
  })
}
