import type { Metadata } from 'next'
import { BadAddress } from '@/components/shell/bad-address'
import { WavesPage } from '@/components/waves/waves-page'
import { pageCtx } from '@/lib/auth'
import { orRefused } from '@/lib/services/fleet/refused-address'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { listRuns } from '@/lib/services/waves/list-runs'
import * as actions from './actions'

export const metadata: Metadata = { title: 'Waves' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const query = scopeQuery(await searchParams, ['change'])
  const { data, refused } = await orRefused(listRuns(ctx, Object.fromEntries(query)), '/updates/waves', query)
  if (refused) return <BadAddress title="Waves" refused={refused} />
  return <WavesPage key={query.get('change')} initial={data} change={query.get('change')} actions={{ ...actions }} />
}
