'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import {
  Answer,
  Button,
  CodeBlock,
  Commit,
  ErrorState,
  pretty,
  problemOf,
  Section,
  Sentences,
  Sheet,
  Skeleton,
  Textarea,
} from '@/components/ui'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import type { GateDto, UpgradeableDto } from '@/lib/services/upgradeable/get-cluster'
import type { GatePreview } from '@/lib/services/upgradeable/preview-gate'
import { GateAction } from './gate-action'
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
  const act = useAction(actions[doing])
  const retry = useAction(actions.retry)
  const preview = useAsked(actions.preview, { clusterId, gate: gate.name, withdraw: doing === 'withdraw' })
  const done = retry.value ?? act.value
  const failed = retry.error ?? act.error

  function decide() {
    if (!preview.value) return
    const { resourceVersion, text } = preview.value
    act.run({ clusterId, gate: gate.name, resourceVersion, text, reason: reason.trim() || undefined })
  }
  /** Somebody else wrote in between: what would happen has to be looked at again. */
  function again(action: ActionDto) {
    if (!action.conflict) return retry.run({ actionId: action.id })
    act.reset()
    retry.reset()
    preview.again()
  }

  if (done) {
    const live = gate.action?.id === done.id ? gate.action : done
    return (
      <Sheet
        open
        onClose={onClose}
        title={TITLES[doing]}
        crumb={cluster.name}
        width={560}
        footer={<Button onClick={onClose}>Close</Button>}
      >
        <div className="grid gap-4">
          <GateAction action={live} onRetry={() => again(live)} retrying={retry.pending} />
          {live.state === 'seen' && <p className="text-md font-medium text-pretty">{cluster.sentence}</p>}
          <ErrorState error={failed} />
        </div>
      </Sheet>
    )
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
          pending={act.pending}
          disabled={preview.pending || !preview.value?.dryRun.ok}
          onClick={decide}
        >
          {COMMITS[doing]}
        </Commit>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p className="font-mono text-sm wrap-anywhere">{gate.name}</p>
        <ErrorState
          error={preview.error}
          action={
            <Button small onClick={preview.again} pending={preview.pending}>
              Try again
            </Button>
          }
        />
        {preview.value ? <What preview={preview.value} /> : !preview.error && <Skeleton height={320} />}
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
              <Button
                small
                onClick={() => {
                  act.reset()
                  preview.again()
                }}
              >
                Read it anew
              </Button>
            )
          }
        />
      </div>
    </Sheet>
  )
}

function What({ preview: { text, follows, warnings, call, dryRun } }: { preview: GatePreview }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {text && <Answer said="What is acknowledged:">{text}</Answer>}
      {warnings.length > 0 && (
        <ul className="grid gap-1 rounded-md border border-line-strong bg-sunk px-3 py-2">
          {warnings.map((warning) => (
            <li key={warning} className="text-pretty">
              {warning}
            </li>
          ))}
        </ul>
      )}
      <Sentences title="What follows" items={follows} />
      <Section title="What Drydock will do to the cluster">
        <CodeBlock label={`${call.method} ${call.path}`} text={pretty(call.body)} />
        <p className={dryRun.ok ? 'mt-2' : 'mt-2 text-blocked'}>
          <span aria-hidden className={dryRun.ok ? 'mr-1.5 text-done' : 'mr-1.5'}>
            {dryRun.ok ? '✓' : '✕'}
          </span>
          {dryRun.sentence}
        </p>
        {dryRun.answer && <Answer>{dryRun.answer}</Answer>}
      </Section>
    </div>
  )
}
