import type { Metadata } from 'next'
import { FleetPage } from '@/components/fleet/fleet-page'
import { BadAddress } from '@/components/shell/bad-address'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { orRefused } from '@/lib/services/fleet/refused-address'
import { getFleet } from '@/lib/services/fleet/get-fleet'

export const metadata: Metadata = { title: 'Fleet' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const query = scopeQuery(await searchParams, ['after'])
  const { data, refused } = await orRefused(getFleet(ctx, Object.fromEntries(query)), '/', query)
  if (refused) return <BadAddress title="Fleet" refused={refused} />
  return (
    <FleetPage
      key={query.toString()}
      initial={data}
      query={query.toString()}
      mayConnect={may(ctx.actor.role, 'clusters:write')}
    />
  )
}
