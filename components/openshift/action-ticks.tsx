import { Ticks, type TicksProps } from '@/components/ui'
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
    {...howFailed(action)}
    error={action.error}
    answer={action.state === 'failed' ? action.answer : null}
    retryLabel={action.conflict ? 'Look again' : undefined}
    {...more}
  />
)

/** What is known of a write that failed: a success that does not show it as sent was an answer. */
export function howFailed({ calls, step, steps }: ActionDto): Pick<TicksProps, 'unsure' | 'refusal'> {
  const { code } = calls.findLast((call) => (call.step ?? 0) === step) ?? {}
  if (code && code < 300) return { unsure: false, refusal: 'not stored as sent' }
  return { unsure: steps.some(({ unsure }) => unsure) }
}
