import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ClusterPage } from '@/components/clusters/cluster-page'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { getCluster } from '@/lib/services/clusters/get-cluster'
import { rbacFor } from '@/lib/services/clusters/rbac-for'
import { updatersOverview } from '@/lib/services/updaters/overview'
import * as actions from '../actions'

export const metadata: Metadata = { title: 'Cluster' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const ctx = await pageCtx('fleet:read')
  const { id: clusterId } = await params
  const [cluster, rbac] = await Promise.all([getCluster(ctx, { clusterId }), rbacFor(ctx, { clusterId })]).catch(
    (error: unknown) => {
      if (error instanceof ServiceError && (error.code === 'not-found' || error.code === 'invalid')) notFound()
      throw error
    },
  )
  const updaters = await updatersOverview(ctx, { cluster: cluster.name })
  return (
    <ClusterPage
      initial={cluster}
      rbacYaml={rbac.yaml}
      updaters={updaters}
      mayWrite={may(ctx.actor.role, 'clusters:write')}
      actions={{ ...actions }}
    />
  )
}
