import type { Metadata } from 'next'
import { UpdatesPage } from '@/components/updates/updates-page'
import { pageCtx } from '@/lib/auth'
import { listUpdates } from '@/lib/services/fleet/list-updates'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'

export const metadata: Metadata = { title: 'Updates' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const query = scopeQuery(await searchParams, ['tab', 'q', 'cursor'])
  const initial = await listUpdates(ctx, Object.fromEntries(query))
  return <UpdatesPage initial={initial} query={query.toString()} />
}
