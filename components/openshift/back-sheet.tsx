import { AskAgain, useAction, useAsked } from '@/components/live'
import { Commit, ErrorState, Sheet } from '@/components/ui'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import type { StepActions } from './action-steps'
import { Asking } from './asking'
import { WhatFollows } from './what-follows'

interface Props {
  action: ActionDto
  actions: Pick<StepActions, 'cancel' | 'previewCancel'>
  onClose(): void
}

/** Before what is stored of a decision is taken back: what is sent, for the object as it is now. */
export function BackSheet({ action, actions, onClose }: Props) {
  const preview = useAsked(actions.previewCancel, { actionId: action.id })
  const back = useAction(actions.cancel, onClose)
  const { value } = preview
  return (
    <Sheet
      open
      onClose={onClose}
      title="Go back"
      crumb={action.steps[0]?.label}
      width={560}
      footer={
        <Commit
          onClose={onClose}
          pending={back.pending}
          disabled={!value?.dryRun.ok || preview.pending}
          onClick={() =>
            value &&
            back.run({
              ...{ actionId: action.id, takeBack: true },
              ...{ resourceVersion: value.resourceVersion, generation: value.generation ?? undefined, uid: value.uid },
            })
          }
        >
          {value?.label ?? 'Go back'}
        </Commit>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <ErrorState
          error={preview.error}
          action={
            // Where there is nothing to go back to, there is nothing either the next time.
            preview.error?.code !== 'invalid' && <AskAgain asked={preview} />
          }
        />
        {value ? (
          <WhatFollows
            call={value.call}
            dryRun={value.dryRun}
            asked={preview}
            warnings={[...value.owners, ...value.warnings]}
            follows={[
              `It says now: ${value.stands}.`,
              'What is stored of this decision is taken back with one write, and what was not made is not made.',
              ...value.follows,
            ]}
          />
        ) : (
          !preview.error && <Asking height={240} />
        )}
        <ErrorState error={back.error} />
      </div>
    </Sheet>
  )
}
