'use client'

import { useQuery } from '@tanstack/react-query'
import { useAction, useAsked } from '@/components/live'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { LatchStatus } from '@/lib/services/latch/status'
import { Commit, ErrorState, Sentences, Sheet, Skeleton, Steps } from '@/components/ui'
import type { ClusterActions } from './actions'
import { GovernanceFields, LatchPreviewed, useGovernance } from './governance-fields'
import { governedWords, latchOf, whatFollows } from './words'

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
  const recorded = act.value !== null || (act.error !== null && same(cluster.policy, input))
  const status = act.value?.status ?? null
  // The worker marks the groups that are governed now a moment later; only then is there one to try it on.
  const proof = useQuery({
    queryKey: ['latch-proof', cluster.id, input],
    queryFn: async () => {
      const checked = await actions.latchCheck({ clusterId: cluster.id })
      return checked.ok ? checked.value : null
    },
    enabled: status !== null && status.proved === null && input.governs !== 'none',
    refetchInterval: ({ state }) => (state.data?.proved || state.dataUpdateCount >= TRIES ? false : 2000),
    gcTime: 0,
  })
  const seen = proof.data ?? status ?? latchOf(cluster)
  return (
    <Sheet
      open
      onClose={onClose}
      width={640}
      crumb={cluster.name}
      title="Which groups are governed"
      footer={
        <Commit
          done={act.value !== null}
          onClose={onClose}
          onClick={() => act.run(input)}
          pending={act.pending}
          disabled={!preview || pending || same(cluster.policy, input)}
        >
          Govern {governedWords(governance.chosen.governs)}
        </Commit>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {recorded && (
          <Steps
            steps={[
              { label: 'Recorded', mark: 'done' },
              {
                label: 'Accepted by the cluster',
                mark: act.error ? 'failed' : status ? 'done' : 'waiting',
                words: act.error
                  ? 'not yet; the worker tries again'
                  : status
                    ? ''
                    : 'the latch is not installed from here',
              },
              {
                label: 'Seen: a trial write was held',
                mark: recorded && seen?.proved && seen.state === 'intact' ? 'done' : 'waiting',
                words: seenWords(input.governs, seen),
              },
            ]}
          />
        )}
        <ErrorState error={act.error?.fields ? null : act.error} />
        {!act.value && (
          <>
            <GovernanceFields of={governance} fields={fields} />
            <Sentences title="What follows" items={whatFollows(cluster, input)} />
            <ErrorState error={refused?.fields ? null : refused} />
            {preview ? <LatchPreviewed preview={preview} /> : !refused && <Skeleton width="100%" height={320} />}
          </>
        )}
      </div>
    </Sheet>
  )
}

const TRIES = 10

function seenWords(governs: string, seen: LatchStatus | null): string {
  if (governs === 'none') return 'nothing is governed: there is nothing to try'
  if (seen?.state === 'intact' && seen.proved === null) return 'there is no governed group yet to try it on'
  return seen?.proved ? '' : (seen?.message ?? '')
}

const same = (policy: ClusterDetail['policy'], asked: ClusterDetail['policy']): boolean =>
  policy.governs === asked.governs &&
  (policy.labelKey ?? '') === (asked.labelKey ?? '') &&
  (policy.labelValue ?? '') === (asked.labelValue ?? '') &&
  policy.breakGlass === asked.breakGlass &&
  policy.reasonNeeded === asked.reasonNeeded
