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
  Sheet,
  Skeleton,
  Textarea,
  TextInput,
  Ticks,
} from '@/components/ui'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import type { PoolDetail } from '@/lib/services/pools/get-pool'
import type { PoolPreview } from '@/lib/services/pools/preview-pool'
import type { Doing, PoolActions } from './types'

const TITLES: Record<Doing, string> = { pause: 'Pause the pool', resume: 'Resume the pool' }

/** What follows for its nodes, the call verbatim, the server's own answer to it, why and until when; then the three ticks. */
export function ActSheet({
  pool,
  doing,
  actions,
  onClose,
}: {
  pool: PoolDetail
  doing: Doing
  actions: PoolActions
  onClose(): void
}) {
  const [reason, setReason] = useState('')
  const [reviewAt, setReviewAt] = useState('')
  const act = useAction(actions[doing])
  const retry = useAction(actions.retry)
  const preview = useAsked(actions.preview, { poolId: pool.id, action: doing })
  const done = retry.value ?? act.value
  const failed = retry.error ?? act.error
  const title = `${TITLES[doing]} ${pool.name}`

  function decide() {
    if (!preview.value) return
    act.run({
      poolId: pool.id,
      resourceVersion: preview.value.resourceVersion,
      generation: preview.value.generation ?? undefined,
      reason: reason.trim() || undefined,
      ...(doing === 'pause' && { reviewAt: reviewAt ? `${reviewAt}T12:00:00Z` : undefined }),
    })
  }
  /** Somebody else wrote in between: what would happen has to be looked at again. */
  function again(action: ActionDto) {
    if (!action.conflict) return retry.run({ actionId: action.id })
    act.reset()
    retry.reset()
    preview.again()
  }

  if (done) {
    const live = pool.action?.id === done.id ? pool.action : done
    return (
      <Sheet
        open
        onClose={onClose}
        title={title}
        crumb={pool.cluster}
        width={560}
        footer={<Button onClick={onClose}>Close</Button>}
      >
        <div className="grid gap-4">
          <Ticks
            state={live.state}
            recordedAt={live.recordedAt}
            acceptedAt={live.acceptedAt}
            seenAt={live.seenAt}
            error={live.error}
            answer={live.state === 'failed' ? live.answer : null}
            onRetry={() => again(live)}
            retrying={retry.pending}
          />
          {live.state === 'seen' && <p className="text-md font-medium text-pretty">{pool.sentence}</p>}
          <ErrorState error={failed} />
        </div>
      </Sheet>
    )
  }
  const fields = failed?.fields ?? []
  return (
    <Sheet
      open
      onClose={onClose}
      title={title}
      crumb={pool.cluster}
      width={560}
      footer={
        <Commit
          onClose={onClose}
          pending={act.pending}
          disabled={preview.pending || !preview.value?.dryRun.ok}
          onClick={decide}
        >
          {TITLES[doing]}
        </Commit>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <ErrorState
          error={preview.error}
          action={
            <Button small onClick={preview.again} pending={preview.pending}>
              Try again
            </Button>
          }
        />
        {preview.value ? (
          <div className={preview.pending ? 'opacity-60' : ''} aria-busy={preview.pending}>
            <WhatFollows preview={preview.value} />
          </div>
        ) : (
          !preview.error && <Skeleton height={320} />
        )}
        <Section title="Why">
          <div className="grid gap-4">
            <Textarea
              label="Reason"
              name="reason"
              value={reason}
              onChange={(e) => setReason(e.target.value)}
              problem={problemOf(fields, 'reason')}
              hint="Kept with the decision and in the audit."
            />
            {doing === 'pause' && (
              <TextInput
                label="Review on"
                name="reviewAt"
                type="date"
                value={reviewAt}
                onChange={(e) => setReviewAt(e.target.value)}
                problem={problemOf(fields, 'reviewAt')}
                hint="When somebody should look at the pause again. It ends only when somebody resumes the pool."
              />
            )}
          </div>
        </Section>
        <ErrorState error={failed} />
      </div>
    </Sheet>
  )
}

function WhatFollows({ preview: { warnings, follows, call, dryRun } }: { preview: PoolPreview }) {
  return (
    <div className="[&>section:first-child]:mt-0 [&>section:first-child]:border-t-0 [&>section:first-child]:pt-0">
      {warnings.length > 0 && (
        <ul className="mb-4 grid gap-1 rounded-md border border-line-strong bg-sunk px-3 py-2">
          {warnings.map((warning) => (
            <li key={warning} className="text-pretty">
              {warning}
            </li>
          ))}
        </ul>
      )}
      <Section title="What follows">
        <ul className="grid list-disc gap-1.5 pl-4">
          {follows.map((sentence) => (
            <li key={sentence} className="text-pretty">
              {sentence}
            </li>
          ))}
        </ul>
      </Section>
      <Section title="What Drydock will do to the cluster">
        <CodeBlock label={`${call.method} ${call.path}`} text={pretty(call.body)} />
      </Section>
      <Section title="What the API server says to it, as a dry run">
        <p className={dryRun.ok ? '' : 'text-blocked'}>
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
