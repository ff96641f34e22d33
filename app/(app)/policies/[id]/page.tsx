import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { PolicyEditor } from '@/components/policies/policy-editor'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { listPolicies } from '@/lib/services/policies/list-policies'
import { policyVersions } from '@/lib/services/policies/policy-versions'
import * as actions from '../actions'

export const metadata: Metadata = { title: 'Policy' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const ctx = await pageCtx('fleet:read')
  const { id } = await params
  const { policies, builtIn } = await listPolicies(ctx)
  const policy = policies.find((one) => one.id === id)
  if (!policy) notFound()
  const { id: userId, role } = ctx.actor
  return (
    <PolicyEditor
      key={policy.version}
      policy={policy}
      versions={await policyVersions(ctx, { policyId: id })}
      builtIn={builtIn}
      userId={userId}
      may={{ write: may(role, 'policies:write'), plan: may(role, 'changes:plan') }}
      actions={{ ...actions }}
    />
  )
}
