import type { Pool, PoolClient } from 'pg'
import type { GroupRow, HealthCheckRow, MachineRow, WorkloadClusterRow } from '@/lib/domain/rows'
import { log } from '@/lib/log'
import type { Announcement, Topic } from '../notify'
import { fenced, type Fence } from './fence'
import { GROUPS, HEALTH_CHECKS, MACHINES, WORKLOAD_CLUSTERS, type Table } from './tables'
import {
  changedIn,
  deleteRows,
  pruneRows,
  rowsOfOthers,
  upsertRows,
  type Changed,
  type Only,
  type Others,
} from './write'

/** What is to be written of one table: rows by id, and ids that are gone. */
export interface Part<Row> {
  upsert: Row[]
  remove: string[]
}

export interface Batch {
  machines: Part<MachineRow>
  groups: Part<GroupRow>
  workloadClusters: Part<WorkloadClusterRow>
  healthChecks: Part<HealthCheckRow>
  /** When the oldest of it was heard from the API server. */
  heardAt: number
}

/** A list that is complete: which rows it is the whole truth about, and what it had. */
export interface Complete {
  resource: string
  table: 'machines' | 'groups' | 'workloadClusters' | 'healthChecks'
  only: Only
  keep: string[]
}

const PARTS = {
  machines: { table: MACHINES, topics: ['machines'] },
  groups: { table: GROUPS, topics: ['groups'] },
  // The page of clusters shows them, and the fleet groups by them.
  workloadClusters: { table: WORKLOAD_CLUSTERS, topics: ['groups', 'clusters'] },
  // Shown where groups are.
  healthChecks: { table: HEALTH_CHECKS, topics: ['groups'] },
} as const satisfies Record<Complete['table'], { table: Table; topics: readonly Topic[] }>

/** Writes a batch and says what changed, all or nothing, and only as the owner of the lease. Returns rows changed. */
export async function writeBatch(pool: Pool, fence: Fence, batch: Batch): Promise<number> {
  return fenced(pool, fence, async (client, say) => {
    let total = 0
    for (const [name, { table, topics }] of parts()) {
      const { upsert, remove } = batch[name]
      const removed = await deleteRows(client, table, fence.clusterId, remove)
      const changed = changedIn(removed, await upsertRows(client, table, fence.clusterId, upsert))
      tell(say, fence.clusterId, topics, changed, batch.heardAt)
      total += changed.count
    }
    return total
  })
}

/**
 * Deletes what a complete list no longer has: rows of before this worker, or of before an outage. What it has that is a row of
 * another connected cluster is counted with its stream: nothing of it is shown here.
 */
export async function pruneAfterList(pool: Pool, fence: Fence, complete: Complete): Promise<number> {
  return fenced(pool, fence, async (client, say) => {
    const { table, topics } = PARTS[complete.table]
    const gone = await pruneRows(client, table, fence.clusterId, complete.only, complete.keep)
    tell(say, fence.clusterId, topics, gone)
    const elsewhere = await rowsOfOthers(client, table, fence.clusterId, complete.keep)
    if (await countElsewhere(client, fence.clusterId, complete.resource, elsewhere))
      say({ topic: 'streams', cluster: fence.clusterId })
    return gone.count
  })
}

/** Whether that is news. The first list is over before its stream is written. */
async function countElsewhere(
  client: PoolClient,
  clusterId: string,
  resource: string,
  { n, clusters }: Others,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `INSERT INTO stream AS t (cluster_id, resource, state, elsewhere, elsewhere_in) SELECT $1::uuid, $2, 'listing', $3::int, $4::uuid[]
       WHERE $3 > 0 OR EXISTS (SELECT 1 FROM stream WHERE cluster_id = $1::uuid AND resource = $2)
     ON CONFLICT (cluster_id, resource) DO UPDATE SET elsewhere = EXCLUDED.elsewhere, elsewhere_in = EXCLUDED.elsewhere_in
       WHERE (t.elsewhere, t.elsewhere_in) IS DISTINCT FROM (EXCLUDED.elsewhere, EXCLUDED.elsewhere_in)`,
    [clusterId, resource, n, clusters],
  )
  if (rowCount && n > 0)
    log().warn(
      { cluster: clusterId, resource, others: n },
      'objects with the uids of another connected cluster are not shown: is one a copy of the other?',
    )
  return (rowCount ?? 0) > 0
}

const parts = () => Object.entries(PARTS) as [Complete['table'], (typeof PARTS)[Complete['table']]][]

function tell(
  say: (message: Announcement) => void,
  cluster: string,
  topics: readonly Topic[],
  { count, ids }: Changed,
  heardAt?: number,
): void {
  if (count === 0) return
  const few = ids ? { ids } : {}
  for (const topic of topics) say({ topic, cluster, ...few, heardAt })
}
