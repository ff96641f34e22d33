import { Ticks } from '@/components/ui'
import type { ActionDto } from '@/lib/services/openshift/action-row'

interface Props {
  action: ActionDto
  seenLabel?: string
  onRetry?(): void
  retrying?: boolean
}

/** How far a decision on OpenShift has come. */
export const ActionTicks = ({ action, ...more }: Props) => (
  <Ticks
    state={action.state}
    recordedAt={action.recordedAt}
    acceptedAt={action.acceptedAt}
    seenAt={action.seenAt}
    unsure={action.steps.some((step) => step.unsure)}
    error={action.error}
    answer={action.state === 'failed' ? action.answer : null}
    retryLabel={action.conflict ? 'Look again' : undefined}
    {...more}
  />
)
