'use client'

import { useQuery } from '@tanstack/react-query'
import { getJson, useAction } from '@/components/live'
import { ActionSteps, type StepActions } from '@/components/openshift/action-steps'
import { Answer, Button, Chip, ErrorState, type ChipTone } from '@/components/ui'
import type { ActionDto, ActionState } from '@/lib/services/openshift/action-row'
import type { Acted, BatchResult } from '@/lib/services/openshift/batch'
import { ClusterName } from './cluster-name'

interface Props {
  acted: Acted
  /** Of all that were chosen, also of those that were left out. */
  names: ReadonlyMap<string, string>
  actions: StepActions
  /** Looks at these again, and decides anew. */
  onAgain(clusterIds: string[]): void
}

/** What became of each: what did not get through first. */
export function Results({ acted: { batchId, results }, names, actions, onAgain }: Props) {
  const { data } = useQuery({
    queryKey: ['boot-images', 'batch', batchId],
    queryFn: ({ signal }) => getJson<ActionDto[]>(`/api/boot-images/batches/${batchId}`, signal),
    initialData: () => results.flatMap(({ action }) => action ?? []),
    staleTime: 0,
  })
  const now = results
    .map((result) => ({ ...result, action: data.find(({ id }) => id === result.action?.id) ?? result.action }))
    .sort((a, b) => Number(isOver(a)) - Number(isOver(b)))
  const stuck = now.filter((one) => !isOver(one))
  const left = [...names].flatMap(([id, name]) => (results.some(({ clusterId }) => clusterId === id) ? [] : [name]))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p role="status">{resultWords(now)}</p>
      <ul className="divide-y divide-line border-y border-line">
        {now.map((one) => (
          <Line key={one.clusterId} one={one} name={names.get(one.clusterId) ?? one.clusterId} actions={actions} />
        ))}
      </ul>
      {left.length > 0 && (
        <p className="text-pretty wrap-anywhere text-ink-2">
          Left out, and nothing was decided there: {left.join(', ')}.
        </p>
      )}
      {stuck.length > 0 && (
        <div>
          <Button onClick={() => onAgain(stuck.map(({ clusterId }) => clusterId))}>
            Look again at {stuck.length === 1 ? 'that one' : `those ${stuck.length}`}…
          </Button>
        </div>
      )}
    </div>
  )
}

const isOver = ({ action }: BatchResult): boolean =>
  action !== null && action.state !== 'failed' && action.state !== 'overtaken'

export function resultWords(all: readonly BatchResult[]): string {
  const of = (state: ActionState) => all.filter(({ action }) => action?.state === state).length
  const [seen, cancelled, anew] = [of('seen'), of('cancelled'), of('superseded')]
  const over = all.filter(isOver).length
  const [under, not] = [over - seen - cancelled - anew, all.length - over]
  const parts = [
    seen > 0 && `${seen} done`,
    under > 0 && `${under} under way`,
    cancelled > 0 && `${cancelled} cancelled`,
    anew > 0 && `${anew} decided anew`,
    not > 0 && `${not} did not get through`,
  ].filter(Boolean)
  return `${parts.join(', ')}.`
}

export function chipOf({ action }: BatchResult): { tone: ChipTone; words: string } {
  if (!action) return { tone: 'bad', words: 'refused' }
  if (action.state === 'overtaken') return { tone: 'bad', words: 'changed meanwhile' }
  if (action.state === 'failed') return { tone: 'bad', words: action.conflict ? 'changed meanwhile' : 'failed' }
  if (action.state === 'seen') return { tone: 'good', words: 'done' }
  if (action.state === 'cancelled') return { tone: 'plain', words: 'cancelled' }
  if (action.state === 'superseded') return { tone: 'plain', words: 'decided anew' }
  return { tone: 'plain', words: action.state === 'accepted' ? 'accepted by the cluster' : 'under way' }
}

function Line({ one, name, actions }: { one: BatchResult; name: string; actions: StepActions }) {
  const again = useAction(actions.retry)
  const { action, refused } = one
  const { tone, words } = chipOf(one)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1 py-2">
      <span className="flex flex-wrap items-baseline justify-between gap-x-3">
        <ClusterName id={one.clusterId} name={name} />
        <Chip tone={tone}>{words}</Chip>
      </span>
      {refused && (
        <span className="text-sm text-pretty text-ink-2">
          {refused.message} {refused.hint}
        </span>
      )}
      {action && action.steps.length > 1 && action.state !== 'seen' && (
        <ActionSteps action={action} seenLabel="Taken up by the operator" actions={actions} />
      )}
      {action?.state === 'overtaken' && action.steps.length === 1 && (
        <span className="text-sm text-pretty text-ink-2">{action.error}</span>
      )}
      {action?.state === 'failed' && action.steps.length === 1 && (
        <>
          <span className="text-sm text-pretty text-ink-2">{action.error}</span>
          {action.answer && <Answer>{action.answer}</Answer>}
          {!action.conflict && (
            <div>
              <Button small onClick={() => again.run({ actionId: action.id })} pending={again.pending}>
                Retry
              </Button>
            </div>
          )}
        </>
      )}
      <ErrorState error={again.error} />
    </li>
  )
}
