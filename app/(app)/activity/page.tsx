import type { Metadata } from 'next'
import { ActivityView } from '@/components/activity/view'
import { activityHref, activityInput, type ActivitySearch } from '@/components/activity/search'
import { BadAddress } from '@/components/shell/bad-address'
import { pageCtx } from '@/lib/auth'
import { listAudit } from '@/lib/services/audit/list-audit'
import { may } from '@/lib/services/context'
import { orRefused } from '@/lib/services/fleet/refused-address'
import { verify } from './actions'

export const metadata: Metadata = { title: 'Activity' }

export default async function ActivityPage({ searchParams }: { searchParams: Promise<ActivitySearch> }) {
  const ctx = await pageCtx('activity:read')
  const search = await searchParams
  const query = new URL(activityHref(search, { cursor: activityInput(search).cursor }), 'http://here').searchParams
  const { data, refused } = await orRefused(listAudit(ctx, activityInput(search)), '/activity', query)
  if (refused) return <BadAddress title="Activity" refused={refused} />
  return (
    <ActivityView
      key={activityHref(search)}
      search={activityInput(search)}
      initial={data}
      messages={may(ctx.actor.role, 'messages:write')}
      verify={may(ctx.actor.role, 'audit:verify') ? verify : undefined}
    />
  )
}
