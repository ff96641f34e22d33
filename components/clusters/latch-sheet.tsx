'use client'

import { useAction, useAsked } from '@/components/live'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { Answer, Commit, ErrorState, Sheet, Skeleton } from '@/components/ui'
import type { ClusterActions } from './actions'
import { GovernanceFields, LatchPreviewed, useGovernance } from './governance-fields'

interface Props {
  cluster: ClusterDetail
  actions: ClusterActions
  onClose(): void
}

/** Choose what is governed, read the manifests that this makes, then install them. */
export function LatchSheet({ cluster, actions, onClose }: Props) {
  const governance = useGovernance(cluster.id, cluster.policy, cluster.policy.governs === 'none' ? 'all' : undefined)
  const install = useAction(actions.latchInstall)
  const { value: preview, error: refused, pending } = useAsked(actions.latchPreview, governance.input)
  const fields = install.error?.fields ?? refused?.fields
  return (
    <Sheet
      open
      onClose={onClose}
      width={640}
      crumb={cluster.name}
      title="Hold rollout-causing changes until they are approved"
      footer={
        <Commit
          done={install.value !== null}
          onClose={onClose}
          onClick={() => install.run(governance.input)}
          pending={install.pending}
          disabled={!preview || pending}
        >
          Install the latch
        </Commit>
      }
    >
      {install.value ? (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <p className="text-md font-medium">{install.value.status.message}</p>
          <Answer>{install.value.answers.join('\n')}</Answer>
        </div>
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <GovernanceFields of={governance} fields={fields} />
          <ErrorState error={install.error?.fields ? null : install.error} />
          <ErrorState error={refused?.fields ? null : refused} />
          {preview ? <LatchPreviewed preview={preview} /> : !refused && <Skeleton width="100%" height={320} />}
        </div>
      )}
    </Sheet>
  )
}
