import { useRouter } from 'next/navigation'
import { AskAgain, useAction, useAsked } from '@/components/live'
import { Commit, ErrorState, Sheet } from '@/components/ui'
import type { PolicyDto } from '@/lib/services/policies/list-policies'
import { AtOnceLines } from './at-once'
import { isUnanswered } from './preview'
import type { PolicyActions } from './types'

/** Before a policy is taken out: what that does at once. */
export function RemoveSheet({
  policy,
  actions,
  onClose,
}: {
  policy: PolicyDto
  actions: PolicyActions
  onClose(): void
}) {
  const router = useRouter()
  const looked = useAsked(actions.lookAtRemoval, { policyId: policy.id })
  const unanswered = isUnanswered(looked.error)
  const goes = looked.value ? { goes: looked.value.goes.digest } : {}
  const act = useAction<Parameters<typeof actions.remove>[0], void>(
    async (input) => {
      const result = await actions.remove(input)
      // By now it would do something else.
      if (!result.ok && result.error.code === 'conflict') looked.again()
      return result
    },
    () => router.push('/policies'),
  )
  return (
    <Sheet
      open
      onClose={onClose}
      crumb="Policies"
      title={`Remove ${policy.name}`}
      footer={
        <Commit
          tone="danger"
          onClose={onClose}
          onClick={() => act.run({ policyId: policy.id, version: policy.version, ...goes })}
          pending={act.pending}
          why={
            looked.pending
              ? 'what that does at once is being looked at.'
              : unanswered && 'what that does at once could not be looked at.'
          }
        >
          Remove {policy.name}
        </Commit>
      }
    >
      <div className="grid gap-3">
        <p>
          What it asks for, less specific policies say from then on, or what is built in. Approvals that were given
          stand; changes that wait are looked at anew at once.
        </p>
        {looked.value ? (
          <AtOnceLines atOnce={looked.value} doing="Removing it" />
        ) : (
          <ErrorState error={looked.error} action={unanswered && <AskAgain asked={looked}>Look again</AskAgain>} />
        )}
        <p className="text-ink-2">Its versions stay readable, and so does what applied when something was decided.</p>
        <ErrorState error={act.error} />
      </div>
    </Sheet>
  )
}
