'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { LatchStatus } from '@/lib/services/latch/status'
import { Button, ErrorState, RelativeTime, Section, type ChipTone } from '@/components/ui'
import { useAction } from '@/components/live'
import type { ClusterActions } from './actions'
import { GovernSheet } from './govern-sheet'
import { LatchSheet } from './latch-sheet'
import { RemoveLatchSheet } from './remove-latch-sheet'
import { StatusLine } from './status-line'
import { governedWords, installedWords, labelOf, latchOf, notInstalledWords } from './words'

const TONES: Partial<Record<LatchStatus['state'], ChipTone>> = {
  intact: 'good',
  none: 'plain',
  unmanaged: 'plain',
  watching: 'plain',
}
const STATE_WORDS: Partial<Record<LatchStatus['state'], string>> = {
  'not-watching': 'not watching',
  untried: 'not tried',
}
const SHEETS = { install: LatchSheet, govern: GovernSheet, remove: RemoveLatchSheet }

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
  const [open, setOpen] = useState<keyof typeof SHEETS | null>(null)
  // What is shown is always what the page hears: an answer kept here would hide what happens after it.
  const client = useQueryClient()
  const heard = () => void client.invalidateQueries({ queryKey: ['clusters', cluster.id] })
  const check = useAction(actions.latchCheck, heard)
  const repair = useAction(actions.latchRepair, heard)
  const [askedAt, setAskedAt] = useState(cluster.latch.checkedAt)
  const ask = (act: typeof check | typeof repair) => {
    check.reset()
    repair.reset()
    setAskedAt(cluster.latch.checkedAt)
    act.run({ clusterId: cluster.id })
  }
  const installed = cluster.latch.form !== 'none'
  const status = latchOf(cluster)
  // Applied from Git it is there, too, and what it governs can be chosen here.
  const there = installed || status?.state === 'unmanaged'
  const label = labelOf(cluster.policy)
  const tone = (status && TONES[status.state]) ?? 'bad'
  // Nobody has looked since: what was found then is not what is.
  const then = cluster.away && tone === 'good' ? ' when last checked' : ''
  const word = status && `${STATE_WORDS[status.state] ?? status.state}${then}`
  // A later look found nothing wrong any more.
  const isPast = tone !== 'bad' && cluster.latch.checkedAt !== askedAt
  const OpenSheet = open && SHEETS[open]
  const show = (sheet: keyof typeof SHEETS) => {
    check.reset()
    repair.reset()
    setOpen(sheet)
  }
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
        Drydock governs <b className="font-medium">{governedWords(cluster.policy.governs)}</b>
        {label && <code className="ml-1 break-all">{label}</code>}.{' '}
        {installed
          ? installedWords(cluster)
          : there
            ? 'The latch is in the cluster, but was not installed from here.'
            : notInstalledWords(cluster)}
        {cluster.policy.reasonNeeded && ' Every approval asks for a reason.'}
      </p>
      {status && (
        <StatusLine tone={cluster.away && tone === 'good' ? 'plain' : tone} word={word}>
          {status.message}
          {status.since && (
            <>
              {' '}
              So for <RelativeTime at={status.since} bare />.
            </>
          )}
        </StatusLine>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {mayWrite && !installed && (
          <Button tone="primary" onClick={() => show('install')}>
            Choose and install…
          </Button>
        )}
        {mayWrite && there && <Button onClick={() => show('govern')}>Change what is governed…</Button>}
        <Button tone="bare" onClick={() => ask(check)} pending={check.pending}>
          Check now
        </Button>
        {mayWrite && installed && !cluster.away && status && repairLabel(status) && (
          <Button onClick={() => ask(repair)} pending={repair.pending}>
            {repairLabel(status)}
          </Button>
        )}
        {mayWrite && there && (
          <Button tone="danger" onClick={() => show('remove')}>
            {cluster.latch.form === 'watch' ? 'Stop watching…' : 'Remove the latch…'}
          </Button>
        )}
      </div>
      <ErrorState className="mt-3" error={isPast ? null : (check.error ?? repair.error)} />
      {OpenSheet && <OpenSheet cluster={cluster} actions={actions} onClose={() => setOpen(null)} />}
    </Section>
  )
}

/** What there is to put right, or to take away because it is not needed any more; null: nothing. */
function repairLabel({ state, beside, watchesBeside, watch }: LatchStatus): string | null {
  // Nothing there is to be put right.
  if (watch || state === 'untried') return null
  if (state !== 'intact') return 'Repair'
  if (beside) return 'Take the old webhook away'
  return watchesBeside ? 'End watching beside it' : null
}
