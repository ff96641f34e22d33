'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { Button, ErrorState, Section, type ChipTone } from '@/components/ui'
import type { ClusterActions } from './actions'
import { useAction } from '@/components/live'
import { GateSheet } from './gate-sheet'
import { StatusLine } from './status-line'
import { canCarryNone, gateOf } from './words'

const NOBODY_ASKS = 'RuntimeSDK is off in the managers: nobody asks, registered or not.'
const DOES_NOT_ASK = 'Cluster API does not ask Drydock how to update.'

/** What decides instead, and how what goes is updated. */
const insteadWords = (cluster: ClusterDetail): string =>
  canCarryNone(cluster) || cluster.latch.form === 'watch'
    ? 'Only a pause that Drydock puts on what it saw change decides when; what goes is replaced.'
    : 'The latch still decides when; what is released is replaced.'

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
  // What is shown is always what the page hears: an answer kept here would hide what happens after it.
  const client = useQueryClient()
  const heard = () => void client.invalidateQueries({ queryKey: ['clusters', cluster.id] })
  const check = useAction(actions.gateCheck, heard)
  const status = gateOf(cluster)
  const registered = cluster.gate.state === 'registered'
  const off = cluster.discovery?.gates.runtimeSdk.state === 'off'
  const standing = standingOf(cluster, off)
  const input = { clusterId: cluster.id }
  return (
    <Section title="Update gate">
      <StatusLine {...standing}>
        {standing.word === 'not answered' &&
          'No worker of Drydock runs to answer it: what Cluster API asks about waits. When last checked: '}
        {(off ? null : status?.sentence) ?? `${off ? NOBODY_ASKS : DOES_NOT_ASK} ${insteadWords(cluster)}`}
      </StatusLine>
      <div className="mt-3 flex flex-wrap gap-2">
        {mayWrite && (
          <Button tone={registered || off ? 'plain' : 'primary'} onClick={() => setOpen(true)}>
            {registered ? 'Register again…' : 'Register the gate…'}
          </Button>
        )}
        {registered && (
          <Button tone="bare" onClick={() => check.run(input)} pending={check.pending}>
            Check now
          </Button>
        )}
      </div>
      <ErrorState className="mt-3" error={check.error} />
      {open && <GateSheet cluster={cluster} actions={actions} onClose={() => setOpen(false)} onDone={heard} />}
    </Section>
  )
}

/** How the gate stands, in a word. */
function standingOf(cluster: ClusterDetail, off: boolean): { tone: ChipTone; word: string } {
  const state = gateOf(cluster)?.state
  if (cluster.gate.state !== 'registered') return { tone: 'plain', word: 'not registered' }
  if (off) return { tone: 'plain', word: 'not asked' }
  // The worker is who answers.
  if (cluster.away !== null) return { tone: 'bad', word: 'not answered' }
  return state === 'ok' ? { tone: 'good', word: 'registered' } : { tone: 'bad', word: state ?? 'registered' }
}
