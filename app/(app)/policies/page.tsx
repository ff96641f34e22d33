import type { Metadata } from 'next'
import { PoliciesPage } from '@/components/policies/policies-page'
import { pageCtx } from '@/lib/auth'
import { listPolicies } from '@/lib/services/policies/list-policies'
import * as actions from './actions'

export const metadata: Metadata = { title: 'Policies' }

export default async function Page() {
  const ctx = await pageCtx('fleet:read')
  return <PoliciesPage initial={await listPolicies(ctx)} actions={{ ...actions }} />
}
