import { Ticks } from '@/components/ui'
import type { ActionDto } from '@/lib/services/openshift/action-row'

interface Props {
  action: ActionDto
  onRetry?(): void
  retrying?: boolean
}

/** How far a decision on a gate has come. */
export const GateAction = ({ action, onRetry, retrying }: Props) => (
  <Ticks
    state={action.state}
    recordedAt={action.recordedAt}
    acceptedAt={action.acceptedAt}
    seenAt={action.seenAt}
    error={action.error}
    answer={action.state === 'failed' ? action.answer : null}
    seenLabel="Taken up by the Cluster Version Operator"
    onRetry={onRetry}
    retrying={retrying}
  />
)
