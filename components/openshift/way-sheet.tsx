import { SetChanges } from '@/components/boot-images/set-changes'
import { AskAgain, useAction, useAsked } from '@/components/live'
import { Commit, ErrorState, Sheet } from '@/components/ui'
import type { ActionResult } from '@/lib/auth'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import type { WayPreview } from '@/lib/services/openshift/preview-cancel'
import type { OnPreview } from '@/lib/services/openshift/preview-go-on'
import type { StepActions } from './action-steps'
import { Asking } from './asking'
import { WhatFollows } from './what-follows'

export type Way = 'on' | 'back'

interface Props {
  way: Way
  action: ActionDto
  actions: StepActions
  onClose(): void
}

const WAYS = {
  back: {
    title: 'Go back',
    sentence: 'What is stored of this decision is taken back with one write, and what was not made is not made.',
  },
  on: {
    title: 'Go on',
    sentence: 'What is left of this decision is made for what is there now, and bound to it.',
  },
}

/** Before a decision that stands in the middle goes back, or on after a conflict: what is sent, for the object as it is now. */
export function WaySheet({ way, action, actions, onClose }: Props) {
  const { title, sentence } = WAYS[way]
  const ask: (input: unknown) => Promise<ActionResult<WayPreview & Partial<OnPreview>>> =
    way === 'back' ? actions.previewCancel : actions.previewGoOn
  const preview = useAsked(ask, { actionId: action.id })
  const goes = useAction(way === 'back' ? actions.cancel : actions.retry, onClose)
  const { value } = preview
  return (
    <Sheet
      open
      onClose={onClose}
      title={title}
      crumb={action.steps[0]?.label}
      width={560}
      footer={
        <Commit
          onClose={onClose}
          pending={goes.pending}
          disabled={!value?.dryRun.ok || preview.pending}
          onClick={() =>
            value &&
            goes.run({
              ...{ actionId: action.id, ...(way === 'back' && { takeBack: true }) },
              ...{ resourceVersion: value.resourceVersion, generation: value.generation ?? undefined, uid: value.uid },
              shown: value.shown,
            })
          }
        >
          {value?.label ?? title}
        </Commit>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <ErrorState
          error={preview.error}
          action={
            // Where there is no way, there is none either the next time.
            preview.error?.code !== 'invalid' && <AskAgain asked={preview} />
          }
        />
        {value ? (
          <WhatFollows
            call={value.call}
            dryRun={value.dryRun}
            asked={preview}
            warnings={[...value.owners, ...value.warnings]}
            follows={[`It says now: ${value.stands}.`, sentence, ...value.follows]}
          >
            {!!value.sets?.length && <SetChanges sets={value.sets} />}
          </WhatFollows>
        ) : (
          !preview.error && <Asking height={240} />
        )}
        <ErrorState
          error={goes.error}
          action={goes.error?.code === 'conflict' && <AskAgain asked={preview}>Look again</AskAgain>}
        />
      </div>
    </Sheet>
  )
}
