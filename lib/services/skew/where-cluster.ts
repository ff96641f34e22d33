const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** A management cluster by its id or its name, as addresses have it. */
export const whereCluster = (cluster: string): { id: string } | { name: string } =>
  UUID.test(cluster) ? { id: cluster } : { name: cluster }
