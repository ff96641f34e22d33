'use client'

import { useAction, useAsked } from '@/components/live'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { ErrorState, Sentences, Skeleton } from '@/components/ui'
import type { ClusterActions } from './actions'
import { FormChoice } from './form-choice'
import { GovernanceFields, LatchPreviewed, useGovernance } from './governance-fields'
import { isSame, useLookedAt } from './use-looked-at'
import { useSeen } from './use-seen'
import { VerbSheet } from './verb-sheet'
import {
  canCarryNone,
  governedWords,
  isBarred,
  isSeen,
  latchOf,
  otherFormWords,
  trialWrite,
  whatFollows,
} from './words'

interface Props {
  cluster: ClusterDetail
  actions: ClusterActions
  onClose(): void
}

/** Other groups are governed from now on: what follows, the objects that the API server gets, then what truly happened. */
export function GovernSheet({ cluster, actions, onClose }: Props) {
  const governance = useGovernance(cluster.id, cluster.policy)
  const { input } = governance
  const act = useAction(actions.governance)
  const { value: preview, error: refused, pending } = useAsked(actions.latchPreview, input)
  const fields = act.error?.fields ?? refused?.fields
  // What the page hears of the cluster, not what was asked: the row in the database, and the last look at the latch.
  const recorded = act.value !== null || (act.error !== null && isSame(cluster.policy, input))
  const version = useLookedAt(cluster.policy, input, act.error !== null)
  const status = act.value?.status ?? null
  // The worker marks the groups that are governed now a moment later; only then is there one to try it on.
  const proof = useSeen(
    ['latch', cluster.id, input],
    () => actions.latchCheck({ clusterId: cluster.id }),
    status !== null && !isSeen(status) && status.proved === null && input.governs !== 'none',
    isSeen,
  )
  const otherForm = otherFormWords(cluster)
  const seen = proof ?? status ?? latchOf(cluster)
  return (
    <VerbSheet
      cluster={cluster}
      onClose={onClose}
      title="Which groups are governed"
      label={`Govern ${governedWords(governance.chosen.governs)}`}
      run={() => act.run({ ...input, version })}
      pending={act.pending}
      blocked={
        isSame(cluster.policy, input)
          ? 'This is how it is governed now.'
          : (!preview || pending || isBarred(preview, input, cluster.policy)) && ''
      }
      done={act.value !== null}
      steps={
        recorded
          ? [
              { label: 'Recorded', mark: 'done' },
              {
                label: 'Accepted by the cluster',
                mark: act.error ? 'failed' : status ? 'done' : 'waiting',
                words: act.error
                  ? 'not yet; the worker tries again'
                  : status
                    ? status.watch
                      ? 'nothing is written there'
                      : ''
                    : 'the latch is not installed from here',
              },
              trialWrite(input.governs, seen, recorded),
            ]
          : null
      }
      error={act.error?.fields ? null : act.error}
    >
      <GovernanceFields of={governance} fields={fields} watch={canCarryNone(cluster) || preview?.form === 'watch'} />
      {preview && preview.choices.length > 0 && (
        <FormChoice
          chosen={input.pools ?? preview.pools}
          onChange={(pools) => governance.change({ pools })}
          barred={preview.barred}
        />
      )}
      {preview && preview.choices.length === 0 && otherForm && <p className="text-ink-2">{otherForm}</p>}
      <Sentences title="What follows" items={whatFollows(cluster, input)} />
      <ErrorState error={refused?.fields ? null : refused} />
      {preview ? <LatchPreviewed preview={preview} /> : !refused && <Skeleton width="100%" height={320} />}
    </VerbSheet>
  )
}
