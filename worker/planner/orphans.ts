import { db, type Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { lockChanges } from '@/lib/services/changes/lock-change'
import { LIVE, OPEN } from '@/lib/services/changes/states'
import { stillOwned } from '../owned'
import type { ClusterView } from '../types'
import { recordEnd } from './end'

/** What there is of groups: of these kinds, with these uids. */
export interface There {
  kinds: string[]
  uids: string[]
}

/** Changes of groups that are gone are over. What was not listed, or is not served for a moment, is not gone. */
export async function endOrphans(view: ClusterView, there: There): Promise<void> {
  const { clusterId } = view
  await db().$transaction(async (tx) => {
    const known = await orphans(tx, clusterId, there)
    if (known.length === 0) return
    // The lease before the changes, as everybody, and as whoever disconnects: else both may wait in a circle.
    await stillOwned(tx, clusterId, view)
    await lockChanges(tx, known)
    const ids = await orphans(tx, clusterId, there)
    const select = { id: true, groupKind: true, namespace: true, groupName: true, summary: true, state: true } as const
    const rows = await tx.change.findMany({ where: { id: { in: ids } }, select })
    const over = { state: 'superseded', finishedAt: await databaseNow(tx) }
    await tx.change.updateMany({ where: { id: { in: ids } }, data: over })
    await tx.decision.updateMany({
      where: { changeId: { in: ids }, state: { in: [...LIVE, 'failed'] } },
      data: { state: 'voided', claimedUntil: null },
    })
    await announce(tx, { topic: 'changes', cluster: clusterId, ids })
    for (const row of rows) await recordEnd(tx, view, row, 'gone')
  })
}

/** As one array: one parameter for each group would be too many from some 32,000 on. */
async function orphans(tx: Tx, clusterId: string, { kinds, uids }: There): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM change WHERE cluster_id = ${clusterId}::uuid AND state = ANY(${OPEN}::text[])
      AND group_kind = ANY(${kinds}::text[]) AND group_id <> ALL(${uids}::uuid[])`
  return rows.map(({ id }) => id)
}
