'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { Answer, Button, CHANGED_BEFORE, ErrorState, Steps, type Step } from '@/components/ui'
import type { ActionResult } from '@/lib/auth'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import type { WayPreview } from '@/lib/services/openshift/preview-cancel'
import type { OnPreview } from '@/lib/services/openshift/preview-go-on'
import type { Act } from './use-decision'
import { WaySheet, type Way } from './way-sheet'

export interface StepActions {
  retry: Act
  cancel: Act
  previewCancel(input: unknown): Promise<ActionResult<WayPreview>>
  previewGoOn(input: unknown): Promise<ActionResult<OnPreview>>
}

interface Props {
  action: ActionDto
  seenLabel: string
  /** Absent: this person may not. */
  actions?: StepActions
  /** Back to what was typed, beside what is there now: where nothing of it is stored. */
  lookAgain?(): void
}

/** A decision of several writes: how far it is, what it waits for, and, where it stands still, the ways on and back. */
export function ActionSteps({ action, seenLabel, actions, lookAgain }: Props) {
  const { waiting, state, error, answer } = action
  return (
    <div className="grid gap-2">
      <Steps steps={stepsOf(action, seenLabel)} />
      {waiting?.overdue && (
        <p className="max-w-[84ch] text-pretty">
          That is longer than it should take: see whether the Machine Config Operator runs (
          <code>oc get co machine-config</code>). It goes on by itself as soon as the operator has taken up what is
          stored.
        </p>
      )}
      {state === 'waiting' && error && <p className="text-sm text-pretty text-ink-2">{error}</p>}
      {(state === 'cancelled' || state === 'overtaken') && error && (
        <p className="max-w-[84ch] text-pretty text-ink-2">{error}</p>
      )}
      {state === 'failed' && (
        <div role="alert" className="grid gap-1">
          <p className="max-w-[84ch] text-pretty text-blocked">{error}</p>
          {answer && <Answer>{answer}</Answer>}
        </div>
      )}
      {actions && (state === 'failed' || state === 'waiting') && (
        <Ways action={action} actions={actions} lookAgain={lookAgain} />
      )}
    </div>
  )
}

/** On, back, or left as it is. */
function Ways({ action, actions, lookAgain }: Pick<Props, 'action' | 'lookAgain'> & { actions: StepActions }) {
  const retried = useAction(actions.retry)
  const left = useAction(actions.cancel)
  const [way, setWay] = useState<Way | null>(null)
  const { leave, on } = waysOn(action)
  const failed = action.state === 'failed'
  const conflict = failed && action.conflict
  const anew = conflict && lookAgain && !action.steps.some((step) => step.state === 'stored' || step.unsure)
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2 max-phone:grid">
        {failed && !action.conflict && !action.gone && (
          <Button onClick={() => retried.run({ actionId: action.id })} pending={retried.pending}>
            Go on
          </Button>
        )}
        {anew && <Button onClick={lookAgain}>Look again</Button>}
        {action.goesOn && !anew && <Button onClick={() => setWay('on')}>Go on…</Button>}
        {action.back && <Button onClick={() => setWay('back')}>Go back…</Button>}
        <Button tone="bare" onClick={() => left.run({ actionId: action.id, takeBack: false })} pending={left.pending}>
          {leave}
        </Button>
      </div>
      {conflict && !action.gone && !action.goesOn && (
        <p className="max-w-[84ch] text-sm text-pretty text-ink-2">{notOn(action)}</p>
      )}
      {failed && action.gone && <p className="max-w-[84ch] text-sm text-pretty text-ink-2">{on}</p>}
      <ErrorState error={retried.error ?? left.error} />
      {way && <WaySheet {...{ way, action, actions }} onClose={() => setWay(null)} />}
    </div>
  )
}

/** What its button says, and what a text beside it has to call by the same name. */
export function waysOn({ steps }: Pick<ActionDto, 'steps'>): { leave: string; on: string } {
  const leave = steps.some((step) => step.state === 'stored' || step.unsure) ? 'Leave it as it stands' : 'Cancel it'
  return { leave, on: `To go on, ${leave[0]!.toLowerCase()}${leave.slice(1)} and decide anew on what is there now.` }
}

/** After a way back that came after somebody's change, where there is no way on either. */
export const notOn = ({ steps }: Pick<ActionDto, 'steps'>): string =>
  steps.some(({ state, cancels }) => !cancels && state !== 'stored')
    ? 'It cannot go on: whether one of its writes is stored is not known. Going back looks at what is there.'
    : 'It cannot go on: each of its writes is stored.'

export function stepsOf(action: ActionDto, seenLabel: string): Step[] {
  const { state, step: at, steps, waiting } = action
  const over = state === 'cancelled'
  const overtaken = state === 'overtaken'
  return [
    { label: 'Recorded', mark: 'done', at: action.recordedAt },
    ...steps.map((step, i): Step => {
      if (step.state === 'stored') return { label: step.label, mark: 'done', at: step.at }
      const unsure = step.unsure && 'not known whether it is stored'
      if (step.state === 'failed')
        return { label: step.label, mark: 'failed', words: unsure ?? 'not stored', tried: step.tried }
      if (step.state === 'left') return { label: step.label, mark: 'waiting', words: unsure ?? 'not made' }
      const until = i === at && waiting ? waiting.until : step.waitsFor
      const words = i === at && !waiting ? 'waiting for its answer' : until ? `waits until ${until}` : ''
      return { label: step.label, mark: 'waiting', words }
    }),
    ...(over
      ? []
      : [
          {
            label: seenLabel,
            mark: action.seenAt ? ('done' as const) : overtaken ? ('failed' as const) : ('waiting' as const),
            at: action.seenAt,
            words: overtaken ? CHANGED_BEFORE : action.acceptedAt ? 'waiting for the watch' : '',
          },
        ]),
  ]
}
