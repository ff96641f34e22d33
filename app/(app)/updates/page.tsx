import type { Metadata } from 'next'
import { BadAddress } from '@/components/shell/bad-address'
import { UpdatesPage } from '@/components/updates/updates-page'
import { pageCtx } from '@/lib/auth'
import { listUpdates } from '@/lib/services/fleet/list-updates'
import { orRefused } from '@/lib/services/fleet/refused-address'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { approveSeveralAction, previewSeveralAction, rejectSeveralAction } from './several-actions'

export const metadata: Metadata = { title: 'Updates' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const query = scopeQuery(await searchParams, ['tab', 'q', 'cursor'])
  const { data, refused } = await orRefused(listUpdates(ctx, Object.fromEntries(query)), '/updates', query)
  if (refused) return <BadAddress title="Updates" refused={refused} />
  const actions = { preview: previewSeveralAction, approve: approveSeveralAction, reject: rejectSeveralAction }
  return <UpdatesPage initial={data} query={query.toString()} actions={actions} />
}
