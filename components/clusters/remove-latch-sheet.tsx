'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { Answer, CodeBlock, Commit, ErrorState, Sentences, Sheet, Skeleton, Steps, TextInput } from '@/components/ui'
import type { ClusterActions } from './actions'
import { latchOf } from './words'

interface Props {
  cluster: ClusterDetail
  actions: ClusterActions
  onClose(): void
}

/** Taking the latch away: what stays paused but unguarded is named first, and the calls verbatim. */
export function RemoveLatchSheet({ cluster, actions, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const { value: plan, error: unasked, pending, again } = useAsked(actions.latchRemovePlan, { clusterId: cluster.id })
  const remove = useAction(actions.latchRemove)
  const done = remove.value
  const gone = cluster.latch.form === 'none'
  const seen = latchOf(cluster)
  return (
    <Sheet
      open
      onClose={onClose}
      width={600}
      crumb={cluster.name}
      title={`Remove the latch from ${cluster.name}`}
      footer={
        <Commit
          tone="danger"
          done={done !== null}
          onClose={onClose}
          onClick={() => plan && remove.run({ clusterId: cluster.id, held: plan.held })}
          pending={remove.pending}
          disabled={!plan || pending || typed !== cluster.name}
        >
          Remove the latch
        </Commit>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {(done || (remove.error && gone)) && (
          <Steps
            steps={[
              { label: 'Recorded', mark: 'done' },
              { label: 'Accepted by the cluster', mark: done ? 'done' : 'failed', words: done ? '' : 'refused' },
              {
                label: 'Seen: nothing of it is left',
                mark: gone && seen?.state === 'none' ? 'done' : 'waiting',
                words: seen?.message,
              },
            ]}
          />
        )}
        {done && done.answers.length > 0 && <Answer>{done.answers.join('\n')}</Answer>}
        <ErrorState
          error={remove.error ?? unasked}
          action={
            // What is held has changed meanwhile: it has to be looked at again.
            !done && (
              <button
                type="button"
                className="btn btn-small"
                onClick={() => {
                  remove.reset()
                  again()
                }}
              >
                Look again
              </button>
            )
          }
        />
        {!plan && !unasked && <Skeleton width="100%" height={160} />}
        {plan && !done && (
          <>
            <Sentences
              title="Held now: stays paused, but anybody may release it then"
              items={plan.held}
              empty="Nothing is held."
            />
            <Sentences title="What follows" items={plan.sentences} />
            <CodeBlock
              wrap
              label="What Drydock will do to the cluster"
              text={plan.calls.join('\n') || 'Nothing of it is there: there is nothing to delete.'}
            />
            <TextInput
              label={`Type ${cluster.name} to confirm`}
              mono
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
            />
          </>
        )}
      </div>
    </Sheet>
  )
}
