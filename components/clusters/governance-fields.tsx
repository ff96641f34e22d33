'use client'

import { useState } from 'react'
import type { Failed } from '@/components/live'
import type { PoolsHeld } from '@/lib/domain/latch/parts'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { LatchPreview } from '@/lib/services/latch/preview-latch'
import { CodeBlock, problemOf, Select, Sentences, TextInput } from '@/components/ui'
import { GOVERNS } from './words'

type Policy = Omit<ClusterDetail['policy'], 'pools'> & { pools?: PoolsHeld }

/** What is governed, as it is being chosen: what a verb takes, and how to change it. */
export function useGovernance(clusterId: string, policy: ClusterDetail['policy'], first = policy.governs) {
  const [chosen, choose] = useState<Policy>({
    ...policy,
    // Only what is chosen here is asked for: elsewhere it stays what it is.
    pools: undefined,
    governs: first,
    labelKey: policy.labelKey ?? 'drydock.dev/governed',
    labelValue: policy.labelValue ?? (policy.labelKey ? '' : 'true'),
  })
  const byLabel = chosen.governs.endsWith('-label')
  return {
    chosen,
    byLabel,
    change: (part: Partial<Policy>) => choose((before) => ({ ...before, ...part })),
    input: {
      clusterId,
      governs: chosen.governs,
      labelKey: byLabel ? chosen.labelKey : null,
      labelValue: byLabel ? chosen.labelValue : null,
      breakGlass: chosen.breakGlass,
      reasonNeeded: chosen.reasonNeeded,
      ...(chosen.pools ? { pools: chosen.pools } : {}),
    },
  }
}
export type Governance = ReturnType<typeof useGovernance>

export function GovernanceFields({
  of,
  fields,
  watch,
}: {
  of: Governance
  fields: Failed['fields']
  /** No latch is installed, or could be: nothing guards a hold, so nobody breaks a glass. */
  watch: boolean
}) {
  const { chosen, byLabel, change } = of
  return (
    <>
      <Select
        label="Which groups"
        value={chosen.governs}
        onChange={(event) => change({ governs: event.target.value })}
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
            value={chosen.labelKey ?? ''}
            onChange={(event) => change({ labelKey: event.target.value })}
            problem={problemOf(fields, 'labelKey')}
          />
          <TextInput
            label="Value"
            mono
            value={chosen.labelValue ?? ''}
            onChange={(event) => change({ labelValue: event.target.value })}
            problem={problemOf(fields, 'labelValue')}
            hint="Empty: the label alone is enough."
          />
        </div>
      )}
      {!watch && (
        <TextInput
          label="Break-glass group"
          mono
          value={chosen.breakGlass}
          onChange={(event) => change({ breakGlass: event.target.value })}
          hint="Its members may release a hold by hand, when Drydock cannot."
          problem={problemOf(fields, 'breakGlass')}
        />
      )}
      <label className="flex min-h-6 items-start gap-2 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={chosen.reasonNeeded}
          onChange={(event) => change({ reasonNeeded: event.target.checked })}
          className="mt-1"
        />
        <span>Ask for a reason with every approval</span>
      </label>
    </>
  )
}

/** Why this form, how strong it is, what it costs, and every object verbatim. */
export function LatchPreviewed({ preview }: { preview: LatchPreview }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="text-ink-2">{preview.why}</p>
      <Sentences title="How strong it is" items={preview.strength} />
      <Sentences title="What a hold suspends" items={preview.sideEffects} />
      {preview.form !== 'watch' && (
        <details open>
          <summary className="font-medium">What will be installed, verbatim (for Git, too)</summary>
          <CodeBlock text={preview.yaml} className="mt-2" />
        </details>
      )}
    </div>
  )
}
