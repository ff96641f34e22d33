import type { Metadata } from 'next'
import { PolicyEditor } from '@/components/policies/policy-editor'
import { pageCtx } from '@/lib/auth'
import { BUILT_IN } from '@/lib/domain/policies'
import { may } from '@/lib/services/context'
import * as actions from '../actions'

export const metadata: Metadata = { title: 'New policy' }

export default async function Page() {
  const ctx = await pageCtx('policies:write')
  const { id: userId, role } = ctx.actor
  return (
    <PolicyEditor
      policy={null}
      versions={[]}
      builtIn={BUILT_IN}
      userId={userId}
      may={{ write: true, plan: may(role, 'changes:plan') }}
      actions={{ ...actions }}
    />
  )
}
