'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { Answer, Button, CodeBlock, ErrorState, problemOf, Select, Sheet, Skeleton, TextInput } from '@/components/ui'
import type { ClusterActions } from './actions'
import { GOVERNS } from './words'

interface Props {
  cluster: ClusterDetail
  actions: ClusterActions
  onClose(): void
}

/** Choose what is governed, read the manifests that this makes, then install them. */
export function LatchSheet({ cluster, actions, onClose }: Props) {
  const [governs, setGoverns] = useState(cluster.policy.governs === 'none' ? 'all' : cluster.policy.governs)
  const [labelKey, setLabelKey] = useState(cluster.policy.labelKey ?? 'drydock.dev/governed')
  const [labelValue, setLabelValue] = useState(cluster.policy.labelValue ?? 'true')
  const [breakGlass, setBreakGlass] = useState(cluster.policy.breakGlass)
  const byLabel = governs.endsWith('-label')
  const input = {
    clusterId: cluster.id,
    governs,
    labelKey: byLabel ? labelKey : null,
    labelValue: byLabel ? labelValue : null,
    breakGlass,
  }
  const install = useAction(actions.latchInstall)
  const { value: preview, error: refused, pending } = useAsked(actions.latchPreview, input)
  const fields = install.error?.fields ?? refused?.fields
  return (
    <Sheet
      open
      onClose={onClose}
      width={640}
      crumb={cluster.name}
      title="Hold rollout-causing changes until they are approved"
      footer={
        install.value ? (
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button
              tone="primary"
              onClick={() => install.run(input)}
              pending={install.pending}
              disabled={!preview || pending}
            >
              Install the latch
            </Button>
            <Button tone="bare" onClick={onClose}>
              Cancel
            </Button>
          </>
        )
      }
    >
      {install.value ? (
        <div className="grid gap-3">
          <p className="text-md font-medium">{install.value.status.message}</p>
          <Answer>{install.value.answers.join('\n')}</Answer>
        </div>
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <Select
            label="Which groups"
            value={governs}
            onChange={(event) => setGoverns(event.target.value)}
            problem={problemOf(fields, 'governs')}
          >
            {Object.entries(GOVERNS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
          {byLabel && (
            <div className="grid grid-cols-2 gap-3">
              <TextInput
                label="Label"
                mono
                value={labelKey}
                onChange={(event) => setLabelKey(event.target.value)}
                problem={problemOf(fields, 'labelKey')}
              />
              <TextInput
                label="Value"
                mono
                value={labelValue}
                onChange={(event) => setLabelValue(event.target.value)}
                problem={problemOf(fields, 'labelValue')}
              />
            </div>
          )}
          <TextInput
            label="Break-glass group"
            mono
            value={breakGlass}
            onChange={(event) => setBreakGlass(event.target.value)}
            hint="Its members may release a hold by hand, when Drydock cannot."
            problem={problemOf(fields, 'breakGlass')}
          />
          {install.error && !install.error.fields && <ErrorState error={install.error} />}
          {refused && !refused.fields && <ErrorState error={refused} />}
          {preview ? <Preview preview={preview} /> : !refused && <Skeleton width="100%" height={320} />}
        </div>
      )}
    </Sheet>
  )
}

function Preview({ preview }: { preview: { why: string; strength: string[]; sideEffects: string[]; yaml: string } }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="text-ink-2">{preview.why}</p>
      <List title="How strong it is" items={preview.strength} />
      <List title="What a hold suspends" items={preview.sideEffects} />
      <details open>
        <summary className="font-medium">What will be installed, verbatim (for Git, too)</summary>
        <CodeBlock text={preview.yaml} className="mt-2" />
      </details>
    </div>
  )
}

function List({ title, items }: { title: string; items: string[] }) {
  if (items.length === 0) return null
  return (
    <div>
      <p className="font-medium">{title}</p>
      <ul className="mt-1 grid list-disc gap-1 pl-4 text-ink-2">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </div>
  )
}
