'use client'

import { useState } from 'react'
import { AskAgain, useAsked } from '@/components/live'
import { Asking } from '@/components/openshift/asking'
import { DoneSheet } from '@/components/openshift/done-sheet'
import { useDecision } from '@/components/openshift/use-decision'
import { WhatFollows } from '@/components/openshift/what-follows'
import { Answer, Button, Commit, ErrorState, problemOf, Sheet, Textarea } from '@/components/ui'
import type { GateDto, UpgradeableDto } from '@/lib/services/upgradeable/get-cluster'
import { SEEN } from './gate-action'
import type { Doing, GateActions } from './types'

const TITLES: Record<Doing, string> = { acknowledge: 'Acknowledge a gate', withdraw: 'Take an acknowledgement back' }
const COMMITS: Record<Doing, string> = { acknowledge: 'Acknowledge', withdraw: 'Take back' }

interface Props {
  cluster: UpgradeableDto
  gate: GateDto
  doing: Doing
  actions: GateActions
  onClose(): void
}

/** The gate's text, the call verbatim, the server's own answer to it, and why; then the three ticks. */
export function GateSheet({ cluster, gate, doing, actions, onClose }: Props) {
  const { clusterId } = cluster
  const [reason, setReason] = useState('')
  const preview = useAsked(actions.preview, { clusterId, gate: gate.name, withdraw: doing === 'withdraw' })
  const decision = useDecision(actions[doing], actions.retry, preview)
  const { done, failed } = decision

  function decide() {
    if (!preview.value) return
    const { uid, resourceVersion, text } = preview.value
    decision.run({ clusterId, gate: gate.name, uid, resourceVersion, text, reason: reason.trim() || undefined })
  }

  if (done) {
    const action = gate.action?.id === done.id ? gate.action : done
    const more = { title: TITLES[doing], crumb: cluster.name, sentence: cluster.sentence, seenLabel: SEEN }
    return <DoneSheet {...{ ...more, action, decision, onClose }} />
  }
  return (
    <Sheet
      open
      onClose={onClose}
      title={TITLES[doing]}
      crumb={cluster.name}
      width={560}
      footer={
        <Commit
          onClose={onClose}
          pending={decision.pending}
          disabled={preview.pending || !preview.value?.dryRun.ok}
          onClick={decide}
        >
          {COMMITS[doing]}
        </Commit>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p className="font-mono text-sm wrap-anywhere">{gate.name}</p>
        <ErrorState error={preview.error} action={<AskAgain asked={preview} />} />
        {preview.value?.text && <Answer said="What is acknowledged:">{preview.value.text}</Answer>}
        {preview.value ? <WhatFollows {...preview.value} asked={preview} /> : !preview.error && <Asking height={320} />}
        <Textarea
          label="Reason"
          name="reason"
          value={reason}
          onChange={(e) => setReason(e.target.value)}
          problem={problemOf(failed?.fields ?? [], 'reason')}
          hint="Kept with the decision and in the audit."
        />
        <ErrorState
          error={failed}
          action={
            failed?.code === 'conflict' && (
              <Button small onClick={decision.anew}>
                Read it anew
              </Button>
            )
          }
        />
      </div>
    </Sheet>
  )
}
