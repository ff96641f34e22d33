import type { Metadata } from 'next'
import { UpdatersPage } from '@/components/updaters/updaters-page'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { updatersOverview } from '@/lib/services/updaters/overview'
import * as actions from './actions'

export const metadata: Metadata = { title: 'Updaters' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const query = scopeQuery(await searchParams)
  const initial = await updatersOverview(ctx, { cluster: query.get('cluster') ?? undefined })
  return (
    <UpdatersPage
      initial={initial}
      query={query.toString()}
      mayWrite={may(ctx.actor.role, 'updaters:write')}
      actions={{ ...actions }}
    />
  )
}
