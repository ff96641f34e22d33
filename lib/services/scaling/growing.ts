import type { Tx } from '@/lib/db/client'

/** A control plane whose higher version waits, and of whose workload cluster worker groups get machines all the same. */
export interface Growing {
  namespace: string
  name: string
  workloadCluster: string
  /** The version that its machines have. */
  version: string
  by: string
}

/** Of change c and its group g: it is held, and no machine of it has begun. */
export const NOT_BEGUN = `(c.state IN ('waiting', 'rejected') AND g.held IS NOT NULL AND c.from_version IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM machine m WHERE m.cluster_id = c.cluster_id AND m.workload_cluster = c.workload_cluster
    AND m.namespace = c.namespace AND m.group_kind = c.group_kind AND m.group_name = c.group_name
    AND m.version IS DISTINCT FROM c.from_version))`

/** Of the same, that workers grow: as soon as one of its machines has another version, or it is let go, none does by it any more. */
export const GROWS = `(c.workers_grow_at IS NOT NULL AND c.group_kind = 'KubeadmControlPlane' AND ${NOT_BEGUN}
  AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = c.id AND d.mode <> 'reject' AND d.accepted_at > c.workers_grow_at))`

const GROWING = `
SELECT c.namespace, c.group_name AS name, c.workload_cluster AS "workloadCluster", c.from_version AS version, c.workers_grow_by AS by
FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
WHERE c.cluster_id = $1::uuid AND ${GROWS}`

/** Those of one management cluster. */
export const growingOf = (tx: Tx, clusterId: string): Promise<Growing[]> =>
  tx.$queryRawUnsafe<Growing[]>(GROWING, clusterId)

const ONE = `SELECT ${GROWS} AS grows FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
WHERE c.id = $1::uuid AND ${NOT_BEGUN}`

/** Of a change that is held, and no machine has begun with it: whether workers grow. Null: it is not so. */
export async function growthOf(tx: Tx, changeId: string): Promise<{ grows: boolean } | null> {
  return (await tx.$queryRawUnsafe<{ grows: boolean }[]>(ONE, changeId))[0] ?? null
}
