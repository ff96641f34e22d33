import type { Metadata } from 'next'
import { PoolsPage } from '@/components/pools/pools-page'
import { BadAddress } from '@/components/shell/bad-address'
import { pageCtx } from '@/lib/auth'
import { orRefused } from '@/lib/services/fleet/refused-address'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { listPools } from '@/lib/services/pools/list-pools'

export const metadata: Metadata = { title: 'Pools' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const query = scopeQuery(await searchParams, ['state', 'review', 'q', 'after'])
  const { data, refused } = await orRefused(listPools(ctx, Object.fromEntries(query)), '/pools', query)
  if (refused) return <BadAddress title="Pools" refused={refused} />
  return <PoolsPage initial={data} query={query.toString()} />
}
