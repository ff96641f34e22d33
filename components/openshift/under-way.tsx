'use client'

import { useAction } from '@/components/live'
import { Button, ErrorState } from '@/components/ui'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import { ActionTicks } from './action-ticks'
import type { Act } from './use-decision'

interface Props {
  action: ActionDto
  /** What was decided. */
  words?: string
  /** Retries it; absent: this person may not. */
  retry?: Act
  /** Done with, where it failed and nobody means to try it again. */
  leave?: Act
  /** Somebody else wrote in between: opens its sheet, where what would happen is looked at again. */
  onConflict(): void
}

/** On a page: a decision that is not through, and its retry where it failed. */
export function UnderWay({ action, words, retry, leave, onConflict }: Props) {
  return (
    <div className="grid gap-2">
      {words && (
        <p className="font-medium">
          {words}, by {action.actorName}
        </p>
      )}
      {retry ? <Retriable action={action} retry={retry} onConflict={onConflict} /> : <ActionTicks action={action} />}
      {leave && action.state === 'failed' && <Leave actionId={action.id} leave={leave} />}
    </div>
  )
}

function Leave({ actionId, leave }: { actionId: string; leave: Act }) {
  const left = useAction(leave)
  return (
    <div className="grid gap-2">
      <div>
        <Button small tone="bare" onClick={() => left.run({ actionId })} pending={left.pending}>
          Leave it
        </Button>
      </div>
      <ErrorState error={left.error} />
    </div>
  )
}

function Retriable({ action, retry, onConflict }: Required<Pick<Props, 'action' | 'retry' | 'onConflict'>>) {
  const retried = useAction(retry)
  return (
    <div className="grid gap-2">
      <ActionTicks
        action={action}
        onRetry={() => (action.conflict ? onConflict() : retried.run({ actionId: action.id }))}
        retrying={retried.pending}
      />
      <ErrorState error={retried.error} />
    </div>
  )
}
