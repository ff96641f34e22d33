import type { Metadata } from 'next'
import { FleetPage } from '@/components/fleet/fleet-page'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { getFleet } from '@/lib/services/fleet/get-fleet'

export const metadata: Metadata = { title: 'Fleet' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const query = scopeQuery(await searchParams, ['after'])
  return (
    <FleetPage
      key={query.toString()}
      initial={await getFleet(ctx, Object.fromEntries(query))}
      query={query.toString()}
      mayConnect={may(ctx.actor.role, 'clusters:write')}
    />
  )
}
