'use client'

import { useEffect, useState } from 'react'
import {
  Button,
  CodeBlock,
  ErrorState,
  pretty,
  problemOf,
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
type Failure = Extract<ActionResult<never>, { ok: false }>['error']

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
  const [preview, setPreview] = useState<DecisionPreview | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [busy, setBusy] = useState(false)
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const [decided, setDecided] = useState<DecisionDto | null>(null)
  const [attempt, setAttempt] = useState(0)
  // What was looked at when the sheet opened is what is approved, also when the page moves on behind it.
  const [fingerprint] = useState(change.fingerprint)
  const { preview: load } = actions
  useEffect(() => {
    let gone = false
    void load({ changeId: change.id, mode }).then((result) => {
      if (gone) return
      if (result.ok) setPreview(result.value)
      else setFailure(result.error)
    })
    return () => {
      gone = true
    }
  }, [load, change.id, mode, attempt])

  const reasonNeeded = change.governance?.reasonNeeded ?? false
  const missing =
    (preview?.needsTypedName && typed !== preview.needsTypedName) || (reasonNeeded && reason.trim() === '')
  const decide = async () => {
    setBusy(true)
    setFailure(null)
    const input = { changeId: change.id, fingerprint, ...(reason.trim() ? { reason: reason.trim() } : {}) }
    const result =
      mode === 'reject'
        ? await actions.reject(input)
        : await actions.approve({ ...input, mode, ...(typed ? { typedName: typed } : {}) })
    setBusy(false)
    if (result.ok) setDecided(result.value)
    else setFailure(result.error)
    onDone()
  }
  const retry = async () => {
    if (!decided) return
    setBusy(true)
    const result = await actions.retry({ decisionId: decided.id })
    setBusy(false)
    if (result.ok) setDecided(result.value)
    else setFailure(result.error)
    onDone()
  }
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
          <>
            <Button
              tone={mode === 'in-place' ? 'in-place' : mode === 'replace' ? 'replace' : 'primary'}
              onClick={decide}
              pending={busy}
              disabled={!preview || Boolean(missing) || changed}
              className="max-phone:grow"
            >
              {TITLES[mode]}
            </Button>
            <Button tone="bare" onClick={onClose}>
              Cancel
            </Button>
          </>
        )
      }
    >
      <div className="grid gap-5">
        {changed && (
          <ErrorState
            error={{
              message: 'The change is another one now.',
              hint: 'Close this and look at it again; nothing was decided.',
            }}
          />
        )}
        {failure && (
          <ErrorState
            error={failure}
            action={
              !preview && (
                <Button
                  small
                  onClick={() => {
                    setFailure(null)
                    setAttempt(attempt + 1)
                  }}
                >
                  Try again
                </Button>
              )
            }
          />
        )}
        {live && <Ticks {...live} onRetry={retry} retrying={busy} />}
        {!preview && !failure && <PreviewSkeleton />}
        {preview && <Preview preview={preview} />}
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

function Preview({ preview }: { preview: DecisionPreview }) {
  return (
    <>
      <section>
        <h2 className="mb-1">What will happen</h2>
        <p className="text-pretty">{preview.headline}</p>
      </section>
      {preview.irreversible.length > 0 && (
        <section>
          <h2 className="mb-1">What cannot be undone</h2>
          <ul className="list-disc pl-4">
            {preview.irreversible.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </section>
      )}
      <section className="min-w-0">
        <h2 className="mb-1">What Drydock will do to the cluster</h2>
        <div className="grid gap-2">
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
