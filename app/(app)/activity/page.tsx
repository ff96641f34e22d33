import type { Metadata } from 'next'
import { ActivityView } from '@/components/activity/view'
import { activityHref, activityInput, type ActivitySearch } from '@/components/activity/search'
import { pageCtx } from '@/lib/auth'
import { listAudit } from '@/lib/services/audit/list-audit'
import { may } from '@/lib/services/context'
import { verify } from './actions'

export const metadata: Metadata = { title: 'Activity' }

export default async function ActivityPage({ searchParams }: { searchParams: Promise<ActivitySearch> }) {
  const ctx = await pageCtx('activity:read')
  const search = await searchParams
  const page = await listAudit(ctx, activityInput(search))
  return (
    <ActivityView
      key={activityHref(search)}
      search={search}
      initial={page}
      verify={may(ctx.actor.role, 'audit:verify') ? verify : undefined}
    />
  )
}
