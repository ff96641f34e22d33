/**
 * Whether what is known of a cluster's machines is of after a moment, in SQL. A watch may be down, and what was heard not written yet: rows
 * that nobody writes say nothing of now.
 */
export const machinesSeen = (cluster: string, after: string): string => `EXISTS (SELECT 1 FROM stream t
  WHERE t.cluster_id = ${cluster} AND t.resource = 'machines.cluster.x-k8s.io' AND t.seen_until > ${after})`
