'use client'

import { useAction } from '@/components/live'
import { ErrorState } from '@/components/ui'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import { ActionTicks } from './action-ticks'
import type { Act } from './use-decision'

interface Props {
  action: ActionDto
  /** Retries it; absent: this person may not. */
  retry?: Act
  /** Somebody else wrote in between: opens its sheet, where what would happen is looked at again. */
  onConflict(): void
}

/** On a page: a decision that is not through, and its retry where it failed. */
export function UnderWay({ action, retry, onConflict }: Props) {
  return retry ? <Retriable action={action} retry={retry} onConflict={onConflict} /> : <ActionTicks action={action} />
}

function Retriable({ action, retry, onConflict }: Required<Props>) {
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
