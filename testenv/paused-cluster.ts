import { db } from '@/lib/db/client'
import type { Held } from './held'

/** Somebody pauses the whole Cluster of a group, or takes that away, as the read model has it. */
export async function pausesCluster({ change }: Held, paused = true): Promise<void> {
  const { id, clusterId, namespace, workloadCluster: name } = change
  await db().workloadCluster.upsert({
    where: { clusterId_namespace_name: { clusterId, namespace, name } },
    create: { id, clusterId, namespace, name, paused, labels: {}, provider: 'cluster.x-k8s.io', phase: 'Provisioned' },
    update: { paused },
  })
}
