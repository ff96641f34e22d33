import type { Metadata } from 'next'
import { planAction } from './actions'
import { PlanPage } from '@/components/plan/plan-page'
import { pageCtx } from '@/lib/auth'
import { planChoices } from '@/lib/services/plan/plan-choices'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'

export const metadata: Metadata = { title: 'Plan a change' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('changes:plan')
  const query = scopeQuery(await searchParams, ['group'])
  const choices = await planChoices(ctx, {
    groupId: query.get('group') ?? undefined,
    cluster: query.get('cluster') ?? undefined,
  })
  return <PlanPage choices={choices} plan={planAction} />
}
