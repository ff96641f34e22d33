'use client'

import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { GateStatus } from '@/lib/services/gate/status'
import { Button, Chip, CodeBlock, ErrorState, Section, Sheet, Skeleton } from '@/components/ui'
import type { ClusterActions } from './actions'
import { useAction } from '@/components/live'

/** Whether Cluster API asks Drydock how to update, and who else answers. */
export function GatePanel({
  cluster,
  mayWrite,
  actions,
}: {
  cluster: ClusterDetail
  mayWrite: boolean
  actions: ClusterActions
}) {
  const [open, setOpen] = useState(false)
  const preview = useAction(actions.gatePreview)
  const register = useAction(actions.gateRegister, () => setOpen(false))
  const check = useAction(actions.gateCheck)
  const status = register.value ?? check.value ?? (cluster.gate.status as unknown as GateStatus | null)
  const registered = cluster.gate.state === 'registered'
  const input = { clusterId: cluster.id }
  const show = () => {
    setOpen(true)
    preview.run(input)
  }
  return (
    <Section title="Update gate">
      <p className="flex max-w-[90ch] flex-wrap items-baseline gap-2">
        <Chip tone={status?.state === 'ok' ? 'good' : registered ? 'bad' : 'plain'}>
          {registered ? (status?.state === 'ok' ? 'registered' : (status?.state ?? 'registered')) : 'not registered'}
        </Chip>
        <span className="text-ink-2">
          {status?.sentence ??
            'Cluster API does not ask Drydock how to update. The latch still decides when; released changes are replacements.'}
        </span>
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        {mayWrite && (
          <Button tone={registered ? 'plain' : 'primary'} onClick={show}>
            {registered ? 'Register again…' : 'Register the gate…'}
          </Button>
        )}
        {registered && (
          <Button tone="bare" onClick={() => check.run(input)} pending={check.pending}>
            Check now
          </Button>
        )}
      </div>
      {check.error && <ErrorState className="mt-3" error={check.error} />}
      <Sheet
        open={open}
        onClose={() => setOpen(false)}
        width={640}
        crumb={cluster.name}
        title="Let Cluster API ask Drydock before it updates"
        footer={
          <>
            <Button
              tone="primary"
              onClick={() => register.run(input)}
              pending={register.pending}
              disabled={!preview.value}
            >
              Register
            </Button>
            <Button tone="bare" onClick={() => setOpen(false)}>
              Cancel
            </Button>
          </>
        }
      >
        {preview.pending && <Skeleton width="100%" height={160} />}
        {(preview.error ?? register.error) && <ErrorState error={(preview.error ?? register.error)!} />}
        {preview.value && (
          <div className="grid gap-3">
            <ul className="grid list-disc gap-1 pl-4 text-ink-2">
              {preview.value.sentences.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
            <CodeBlock label="What will be written, verbatim" text={preview.value.yaml} />
          </div>
        )}
      </Sheet>
    </Section>
  )
}
