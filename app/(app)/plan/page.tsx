import type { Metadata } from 'next'
import { planAction, planBackAction, rollBackAction } from './actions'
import { PlanPage, type Given } from '@/components/plan/plan-page'
import { pageCtx } from '@/lib/auth'
import type { Ctx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { goingBack } from '@/lib/services/plan/going-back'
import { planChoices } from '@/lib/services/plan/plan-choices'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'

export const metadata: Metadata = { title: 'Plan a change' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('changes:plan')
  const query = scopeQuery(await searchParams, ['group', 'back'])
  const back = query.get('back')
  const given = back ? await backOr(ctx, back) : null
  const choices = await planChoices(ctx, {
    groupId: query.get('group') ?? undefined,
    cluster: query.get('cluster') ?? undefined,
  })
  return (
    <PlanPage
      choices={choices}
      given={given}
      actions={{ plan: planAction, planBack: planBackAction, rollBack: rollBackAction }}
    />
  )
}

/** What cannot be had is said on the page: the rest of it is there all the same. */
async function backOr(ctx: Ctx, id: string): Promise<Given> {
  try {
    return await goingBack(ctx, { id })
  } catch (error) {
    if (error instanceof ServiceError) return { problem: error.message }
    return { problem: 'The former state cannot be read from the management cluster now.' }
  }
}
