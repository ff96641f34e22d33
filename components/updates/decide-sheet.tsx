'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import {
  Button,
  CodeBlock,
  Commit,
  ErrorState,
  pretty,
  problemOf,
  Sentences,
  Sheet,
  Skeleton,
  Textarea,
  TextInput,
  Ticks,
} from '@/components/ui'
import type { ActionResult } from '@/lib/auth'
import type { DecisionDto } from '@/lib/services/changes/change-row'
import type { DecisionPreview } from '@/lib/services/changes/preview-decision'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { MovesList } from './moves-list'

export type Mode = 'in-place' | 'replace' | 'reject'
export interface DecisionActions {
  preview(input: { changeId: string; mode: Mode }): Promise<ActionResult<DecisionPreview>>
  approve(input: {
    changeId: string
    fingerprint: string
    mode: 'in-place' | 'replace'
    reason?: string
    typedName?: string
  }): Promise<ActionResult<DecisionDto>>
  reject(input: { changeId: string; fingerprint: string; reason?: string }): Promise<ActionResult<DecisionDto>>
  retry(input: { decisionId: string }): Promise<ActionResult<DecisionDto>>
}

const TITLES: Record<Mode, string> = { 'in-place': 'Approve in place', replace: 'Approve replacing', reject: 'Reject' }

/** Before: what would be done, verbatim. After: the three ticks as they truly happen. */
export function DecideSheet({
  change,
  mode,
  actions,
  onClose,
  onDone,
}: {
  change: UpdateDetail
  mode: Mode
  actions: DecisionActions
  onClose(): void
  onDone(): void
}) {
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  // What was looked at when the sheet opened is what is approved, also when the page moves on behind it.
  const [fingerprint] = useState(change.fingerprint)
  const asked = useAsked(actions.preview, { changeId: change.id, mode })
  const preview = asked.value
  const act = useAction<void, DecisionDto>(async () => {
    const input = { changeId: change.id, fingerprint, ...(reason.trim() ? { reason: reason.trim() } : {}) }
    try {
      return mode === 'reject'
        ? await actions.reject(input)
        : await actions.approve({ ...input, mode, ...(typed ? { typedName: typed } : {}) })
    } finally {
      onDone() // refused or not, the page behind may be another one now
    }
  })
  const retry = useAction(actions.retry, onDone)
  const decided = retry.value ?? act.value
  const failure = retry.error ?? act.error
  const reasonNeeded = change.governance?.reasonNeeded ?? false
  const missing =
    (preview?.needsTypedName && typed !== preview.needsTypedName) || (reasonNeeded && reason.trim() === '')
  const live = decided ? (change.decisions.find((d) => d.id === decided.id) ?? decided) : null
  const changed = change.fingerprint !== fingerprint && !decided
  return (
    <Sheet
      open
      onClose={onClose}
      width={560}
      crumb={`${change.workloadCluster} / ${change.groupName}`}
      title={TITLES[mode]}
      footer={
        live ? (
          <Button tone="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <Commit
            tone={mode === 'in-place' ? 'in-place' : mode === 'replace' ? 'replace' : 'primary'}
            onClose={onClose}
            onClick={() => act.run()}
            pending={act.pending}
            disabled={!preview || asked.pending || Boolean(missing) || changed}
          >
            {TITLES[mode]}
          </Commit>
        )
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {changed && (
          <ErrorState
            error={{
              message: 'The change is another one now.',
              hint: 'Close this and look at it again; nothing was decided.',
            }}
          />
        )}
        <ErrorState error={failure} />
        <ErrorState
          error={asked.error}
          action={
            <Button small onClick={asked.again} pending={asked.pending}>
              Try again
            </Button>
          }
        />
        {live && <Ticks {...live} onRetry={() => retry.run({ decisionId: live.id })} retrying={retry.pending} />}
        {!preview && !asked.error && <PreviewSkeleton />}
        {preview && <Preview preview={preview} change={change} mode={mode} />}
        {preview && !live && (
          <>
            <Textarea
              label={reasonNeeded ? 'Reason' : 'Reason (optional)'}
              hint={
                reasonNeeded
                  ? 'This cluster’s governance asks for one. It is kept in the audit.'
                  : 'It is kept in the audit.'
              }
              value={reason}
              maxLength={500}
              onChange={(event) => setReason(event.target.value)}
              problem={problemOf(failure?.fields, 'reason')}
            />
            {preview.needsTypedName && (
              <TextInput
                mono
                label={
                  <>
                    Type <code className="select-all">{preview.needsTypedName}</code> to confirm
                  </>
                }
                value={typed}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </>
        )}
      </div>
    </Sheet>
  )
}

function Preview({ preview, change, mode }: { preview: DecisionPreview; change: UpdateDetail; mode: Mode }) {
  return (
    <>
      <section>
        <h2 className="mb-1">What will happen</h2>
        <p className="mb-2 text-pretty">{preview.headline}</p>
        {mode !== 'reject' && <MovesList change={change} mode={mode} />}
      </section>
      <Sentences title="What cannot be undone" items={preview.irreversible} />
      <section className="min-w-0">
        <h2 className="mb-1">What Drydock will do to the cluster</h2>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          {preview.calls.map((call, i) => (
            <CodeBlock key={i} label={`${call.method} ${call.path} · ${call.contentType}`} text={pretty(call.body)} />
          ))}
        </div>
      </section>
    </>
  )
}

function PreviewSkeleton() {
  return (
    <div className="grid gap-3" aria-busy>
      <span role="status" className="sr-only">
        Reading the object from the cluster
      </span>
      <Skeleton width={140} />
      <Skeleton />
      <Skeleton width={180} />
      <Skeleton height={120} />
    </div>
  )
}
