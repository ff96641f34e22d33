'use client'

import { useAction, useAsked } from '@/components/live'
import { CodeBlock, ErrorState, Sentences, Skeleton } from '@/components/ui'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { ClusterActions } from './actions'
import { useSeen } from './use-seen'
import { VerbSheet } from './verb-sheet'
import { gateOf } from './words'

interface Props {
  cluster: ClusterDetail
  actions: ClusterActions
  onClose(): void
  onDone(): void
}

/** The registration as it would be written, then whether Cluster API has found it. */
export function GateSheet({ cluster, actions, onClose, onDone }: Props) {
  const input = { clusterId: cluster.id }
  const { value: preview, error: unasked } = useAsked(actions.gatePreview, input)
  const register = useAction(actions.gateRegister, onDone)
  const written = register.value !== null
  // Cluster API discovers a registration a moment after it is stored.
  const found = useSeen(
    ['gate', cluster.id],
    async () => {
      const looked = await actions.gateCheck(input)
      onDone()
      return looked
    },
    written && register.value?.state !== 'ok',
    (status) => status.state === 'ok',
  )
  const status = found ?? register.value ?? gateOf(cluster)
  return (
    <VerbSheet
      cluster={cluster}
      onClose={onClose}
      title="Let Cluster API ask Drydock before it updates"
      label="Register"
      run={() => register.run(input)}
      pending={register.pending}
      blocked={!preview && ''}
      done={written}
      steps={
        written || register.error?.code === 'refused'
          ? [
              { label: 'Recorded', mark: 'done' },
              { label: 'Accepted by the cluster', mark: written ? 'done' : 'failed', words: written ? '' : 'refused' },
              {
                label: 'Seen: Cluster API has discovered it',
                mark: written && status?.state === 'ok' ? 'done' : 'waiting',
                words: written && status?.state !== 'ok' ? status?.sentence : '',
              },
            ]
          : null
      }
      error={register.error}
    >
      <ErrorState error={unasked} />
      {!preview && !unasked && <Skeleton width="100%" height={160} />}
      {preview && (
        <>
          <Sentences title="What follows" items={preview.sentences} />
          <CodeBlock label="What will be written, verbatim" text={preview.yaml} />
        </>
      )}
    </VerbSheet>
  )
}
