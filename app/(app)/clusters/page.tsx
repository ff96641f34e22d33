import type { Metadata } from 'next'
import { ClusterList } from '@/components/clusters/list'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { listClusters } from '@/lib/services/clusters/list-clusters'

export const metadata: Metadata = { title: 'Clusters' }

export default async function ClustersPage() {
  const ctx = await pageCtx('fleet:read')
  return <ClusterList initial={await listClusters(ctx)} mayConnect={may(ctx.actor.role, 'clusters:write')} />
}
