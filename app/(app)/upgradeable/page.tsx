import type { Metadata } from 'next'
import { BadAddress } from '@/components/shell/bad-address'
import { Upgradeable } from '@/components/upgradeable/cluster'
import { UpgradeableList } from '@/components/upgradeable/list'
import { NoCluster } from '@/components/upgradeable/no-cluster'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { orRefused } from '@/lib/services/fleet/refused-address'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { findUpgradeable } from '@/lib/services/upgradeable/get-cluster'
import { listClusterUpdates } from '@/lib/services/upgradeable/list-clusters'
import * as actions from './actions'

export const metadata: Metadata = { title: 'Upgradeable' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const query = scopeQuery(await searchParams, ['only', 'q', 'after'])
  const cluster = query.get('cluster')
  if (cluster) {
    const { data, refused } = await orRefused(findUpgradeable(ctx, { cluster }), '/upgradeable', query)
    if (refused) return <BadAddress title="Upgradeable" refused={refused} />
    if (!data) return <NoCluster name={cluster} />
    const { preview, acknowledge, withdraw, retry } = actions
    return (
      <Upgradeable
        key={data.clusterId}
        initial={data}
        mayAct={may(ctx.actor.role, 'skew:act')}
        actions={{ preview, acknowledge, withdraw, retry }}
      />
    )
  }
  query.delete('workload')
  const { data, refused } = await orRefused(listClusterUpdates(ctx, Object.fromEntries(query)), '/upgradeable', query)
  if (refused) return <BadAddress title="Upgradeable" refused={refused} />
  return <UpgradeableList initial={data} query={query.toString()} />
}
