'use client'

import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { LatchStatus } from '@/lib/services/latch/status'
import { Button, Chip, ErrorState, RelativeTime, Section, type ChipTone } from '@/components/ui'
import type { ClusterActions } from './actions'
import { LatchSheet } from './latch-sheet'
import { useAction } from '@/components/live'
import { GOVERNS } from './words'

const TONES: Partial<Record<LatchStatus['state'], ChipTone>> = { intact: 'good', none: 'plain', unmanaged: 'plain' }

/** Which groups are governed, and whether what holds their changes is in place. */
export function LatchPanel({
  cluster,
  mayWrite,
  actions,
}: {
  cluster: ClusterDetail
  mayWrite: boolean
  actions: ClusterActions
}) {
  const [open, setOpen] = useState(false)
  const check = useAction(actions.latchCheck)
  const repair = useAction(actions.latchRepair)
  const input = { clusterId: cluster.id }
  const status = repair.value ?? check.value ?? (cluster.latch.status as unknown as LatchStatus | null)
  const { governs, labelKey, labelValue, breakGlass } = cluster.policy
  const label = labelKey ? `${labelKey}${labelValue ? `=${labelValue}` : ''}` : null
  const installed = cluster.latch.form !== 'none'
  return (
    <Section
      title="What Drydock governs"
      aside={
        cluster.latch.checkedAt && (
          <>
            checked <RelativeTime at={cluster.latch.checkedAt} />
          </>
        )
      }
    >
      <p>
        Drydock governs <b className="font-medium">{GOVERNS[governs]}</b>
        {label && <code className="ml-1">{label}</code>}.{' '}
        {installed
          ? `The latch is installed as ${cluster.latch.form === 'policy' ? 'admission policy' : 'a webhook'}; in an emergency the group ${breakGlass} may release.`
          : 'The latch is not installed: nothing is held here.'}
      </p>
      {status && (
        <p className="mt-2 flex max-w-[90ch] flex-wrap items-baseline gap-2">
          <Chip tone={TONES[status.state] ?? 'bad'}>{status.state}</Chip>
          <span className="text-ink-2">{status.message}</span>
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {mayWrite && (
          <Button tone={installed ? 'plain' : 'primary'} onClick={() => setOpen(true)}>
            {installed ? 'Change what is governed…' : 'Choose and install…'}
          </Button>
        )}
        {installed && (
          <Button tone="bare" onClick={() => check.run(input)} pending={check.pending}>
            Check now
          </Button>
        )}
        {mayWrite && installed && status && status.state !== 'intact' && (
          <Button onClick={() => repair.run(input)} pending={repair.pending}>
            Repair
          </Button>
        )}
      </div>
      {(check.error ?? repair.error) && <ErrorState className="mt-3" error={(check.error ?? repair.error)!} />}
      {open && <LatchSheet cluster={cluster} actions={actions} onClose={() => setOpen(false)} />}
    </Section>
  )
}
