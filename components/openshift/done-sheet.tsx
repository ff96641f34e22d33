import { Button, ErrorState, Sheet } from '@/components/ui'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import { ActionTicks } from './action-ticks'
import type { useDecision } from './use-decision'

interface Props {
  title: string
  /** Whose it is. */
  crumb: string
  /** As it stands now. */
  action: ActionDto
  seenLabel?: string
  /** What is so when it is through. */
  sentence: string
  decision: Pick<ReturnType<typeof useDecision>, 'failed' | 'again' | 'retrying'>
  onClose(): void
}

/** After a decision: the three ticks as they truly happen, and what is so then. */
export function DoneSheet({ title, crumb, action, seenLabel, sentence, decision, onClose }: Props) {
  return (
    <Sheet
      open
      onClose={onClose}
      title={title}
      crumb={crumb}
      width={560}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="grid gap-4">
        <ActionTicks
          action={action}
          seenLabel={seenLabel}
          onRetry={() => decision.again(action)}
          retrying={decision.retrying}
        />
        {action.state === 'seen' && <p className="text-md font-medium text-pretty">{sentence}</p>}
        <ErrorState error={decision.failed} />
      </div>
    </Sheet>
  )
}
