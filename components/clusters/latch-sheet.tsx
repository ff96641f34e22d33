'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { LatchPreview } from '@/lib/services/latch/preview-latch'
import { ErrorState, Skeleton } from '@/components/ui'
import type { ClusterActions } from './actions'
import { FormChoice } from './form-choice'
import { GovernanceFields, LatchPreviewed, useGovernance } from './governance-fields'
import { useLookedAt } from './use-looked-at'
import { useSeen } from './use-seen'
import { VerbSheet } from './verb-sheet'
import { canCarryNone, isSeen, trialWrite } from './words'

interface Props {
  cluster: ClusterDetail
  actions: ClusterActions
  onClose(): void
}

/** Choose what is governed, read the manifests that this makes, then install them. */
export function LatchSheet({ cluster, actions, onClose }: Props) {
  const governance = useGovernance(cluster.id, cluster.policy, cluster.policy.governs === 'none' ? 'all' : undefined)
  const install = useAction(actions.latchInstall)
  const { input } = governance
  const { value: preview, error: refused, pending, again } = useAsked(actions.latchPreview, input)
  const [found, setFound] = useState(cluster.discovery)
  // What Drydock may do there has changed while this is open.
  if (JSON.stringify(found) !== JSON.stringify(cluster.discovery)) {
    setFound(cluster.discovery)
    again()
  }
  const fields = install.error?.fields ?? refused?.fields
  const written = install.value
  const version = useLookedAt(cluster.policy, input, install.error !== null)
  const proof = useSeen(
    ['latch', cluster.id, input],
    () => actions.latchCheck({ clusterId: cluster.id }),
    written !== null && !isSeen(written.status) && written.status.proved === null,
    isSeen,
  )
  return (
    <VerbSheet
      cluster={cluster}
      onClose={onClose}
      title="Hold rollout-causing changes until they are approved"
      label={verbOf(preview)}
      run={() => install.run({ ...input, version })}
      pending={install.pending}
      blocked={(!preview || pending || preview.barred !== null) && ''}
      done={written !== null}
      steps={
        written
          ? [
              { label: 'Recorded', mark: 'done' },
              {
                label: 'Accepted by the cluster',
                mark: 'done',
                words: written.status.watch && 'nothing is written there',
              },
              trialWrite(input.governs, proof ?? written.status, true),
            ]
          : null
      }
      answers={written?.answers}
      error={install.error?.fields ? null : install.error}
    >
      <GovernanceFields of={governance} fields={fields} watch={canCarryNone(cluster) || preview?.form === 'watch'} />
      {preview && preview.choices.length > 0 && (
        <FormChoice
          chosen={input.pools ?? preview.pools}
          onChange={(pools) => governance.change({ pools })}
          barred={preview.barred}
        />
      )}
      <ErrorState error={refused?.fields ? null : refused} />
      {preview ? <LatchPreviewed preview={preview} /> : !refused && <Skeleton width="100%" height={320} />}
    </VerbSheet>
  )
}

function verbOf(preview: LatchPreview | null): string {
  if (preview?.form !== 'watch') return 'Install the latch'
  return preview.pausesNone ? 'Watch without pausing' : 'Watch and pause'
}
