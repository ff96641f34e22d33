'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { Button, CodeBlock, Sentences, Skeleton } from '@/components/ui'
import type { ClusterActions } from './actions'
import { NameToConfirm, VerbSheet } from './verb-sheet'
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
  // As it was when this was opened: once it is done, nothing watches any more.
  const [watches] = useState(cluster.latch.form === 'watch')
  return (
    <VerbSheet
      cluster={cluster}
      onClose={onClose}
      title={watches ? `Stop watching ${cluster.name}` : `Remove the latch from ${cluster.name}`}
      label={watches ? 'Stop watching' : 'Remove the latch'}
      tone="danger"
      run={() => plan && remove.run({ clusterId: cluster.id, held: plan.held })}
      pending={remove.pending}
      blocked={(!plan || pending || typed !== cluster.name) && ''}
      done={done !== null}
      steps={
        done || (remove.error && gone)
          ? [
              { label: 'Recorded', mark: 'done' },
              { label: 'Accepted by the cluster', mark: done ? 'done' : 'failed', words: done ? '' : 'refused' },
              {
                label: 'Seen: nothing of it is left',
                mark: gone && seen?.state === 'none' ? 'done' : 'waiting',
                words: seen?.message,
              },
            ]
          : null
      }
      answers={done?.answers}
      error={remove.error ?? unasked}
      remedy={
        // What is held has changed meanwhile: it has to be looked at again.
        !done && (
          <Button
            small
            onClick={() => {
              remove.reset()
              again()
            }}
          >
            Look again
          </Button>
        )
      }
    >
      {!plan && !unasked && <Skeleton width="100%" height={160} />}
      {plan && (
        <>
          <Sentences
            title={`Held now: stays paused, ${watches ? 'and' : 'but'} anybody may release it then`}
            items={plan.held}
            empty="Nothing is held."
          />
          <Sentences title="What follows" items={plan.sentences} />
          {/* Where Drydock only watches, nothing of it is in the cluster. */}
          {(plan.calls.length > 0 || !watches) && (
            <CodeBlock
              wrap
              label="What Drydock will do to the cluster"
              text={plan.calls.join('\n') || 'Nothing of it is there: there is nothing to delete.'}
            />
          )}
          <NameToConfirm cluster={cluster} typed={typed} onType={setTyped} />
        </>
      )}
    </VerbSheet>
  )
}
