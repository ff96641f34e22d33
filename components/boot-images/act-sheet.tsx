'use client'

import { useEffect, useState } from 'react'
import {
  Answer,
  Button,
  CodeBlock,
  ErrorState,
  pretty,
  problemOf,
  Section,
  Select,
  Sheet,
  Skeleton,
  Textarea,
  TextInput,
  Ticks,
} from '@/components/ui'
import type { SkewActionDto } from '@/lib/services/skew/action-row'
import type { BootImageCard } from '@/lib/services/skew/list'
import type { SkewPreview } from '@/lib/services/skew/preview'
import type { BootImageActions, Doing, Failed } from './types'

const TITLES: Record<Doing, string> = {
  acknowledge: 'Acknowledge a boot image version',
  'opt-out': 'Opt out of enforcement',
  automatic: 'Return to automatic',
}

interface Props {
  card: BootImageCard
  doing: Doing
  actions: BootImageActions
  onClose(): void
}

/** What will happen, the call verbatim, the server's own answer to it, why and until when; then the three ticks. */
export function ActSheet({ card, doing, actions, onClose }: Props) {
  const [kind, setKind] = useState<string>(card.best?.versionKind ?? 'OCPVersion')
  const [version, setVersion] = useState(card.best?.version ?? '')
  const [manageAll, setManageAll] = useState(false)
  const [reason, setReason] = useState('')
  const [reviewAt, setReviewAt] = useState('')
  const [shown, setShown] = useState<{ preview: SkewPreview | null; error: Failed | null }>({
    preview: null,
    error: null,
  })
  const [round, setRound] = useState(0)
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState<Failed | null>(null)
  const [done, setDone] = useState<SkewActionDto | null>(null)
  const live = done && card.action?.id === done.id ? card.action : done

  useEffect(() => {
    let over = false
    const timer = setTimeout(async () => {
      const input = {
        clusterId: card.clusterId,
        action: doing,
        manageAll,
        ...(doing === 'acknowledge' && { versionKind: kind, version }),
      }
      const result = await actions.preview(input)
      if (!over) setShown(result.ok ? { preview: result.value, error: null } : { preview: null, error: result.error })
    }, 250)
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [actions, card.clusterId, doing, kind, version, manageAll, round])

  async function act() {
    if (!shown.preview) return
    setBusy(true)
    setFailed(null)
    const wish = {
      clusterId: card.clusterId,
      resourceVersion: shown.preview.resourceVersion,
      reason: reason || undefined,
      reviewAt: reviewAt ? `${reviewAt}T12:00:00Z` : undefined,
    }
    const result =
      doing === 'acknowledge'
        ? await actions.acknowledge({ ...wish, versionKind: kind, version })
        : doing === 'opt-out'
          ? await actions.optOut(wish)
          : await actions.automatic({ ...wish, manageAll })
    setBusy(false)
    if (result.ok) setDone(result.value)
    else setFailed(result.error)
  }

  async function again(action: SkewActionDto) {
    if (action.conflict) {
      setDone(null)
      setShown({ preview: null, error: null })
      setRound((n) => n + 1)
      return
    }
    setBusy(true)
    const result = await actions.retry({ actionId: action.id })
    setBusy(false)
    if (result.ok) setDone(result.value)
    else setFailed(result.error)
  }

  const { preview, error } = shown
  const fields = [...(error?.fields ?? []), ...(failed?.fields ?? [])]
  const label = doing === 'acknowledge' ? `Acknowledge ${version || '…'}` : TITLES[doing]
  return (
    <Sheet
      open
      onClose={onClose}
      title={TITLES[doing]}
      crumb={card.name}
      width={560}
      footer={
        live ? (
          <Button onClick={onClose}>Close</Button>
        ) : (
          <>
            <Button tone="primary" pending={busy} disabled={!preview?.dryRun.ok} onClick={() => void act()}>
              {label}
            </Button>
            <Button tone="bare" onClick={onClose}>
              Cancel
            </Button>
          </>
        )
      }
    >
      {live ? (
        <div className="grid gap-4">
          <Ticks
            state={live.state}
            recordedAt={live.recordedAt}
            acceptedAt={live.acceptedAt}
            seenAt={live.seenAt}
            error={live.error}
            answer={live.state === 'failed' ? live.answer : null}
            onRetry={() => void again(live)}
            retrying={busy}
          />
          {live.state === 'seen' && <p className="text-md font-medium text-pretty">{card.sentence}</p>}
          {failed && <ErrorState error={failed} />}
        </div>
      ) : (
        <div className="grid gap-4">
          {doing === 'acknowledge' && (
            <div className="grid gap-3">
              <div className="grid grid-cols-[150px_1fr] gap-3 max-phone:grid-cols-1">
                <Select label="Kind" name="versionKind" value={kind} onChange={(e) => setKind(e.target.value)}>
                  <option value="OCPVersion">OCP version</option>
                  <option value="RHCOSVersion">RHCOS version</option>
                </Select>
                <TextInput
                  label="Oldest boot image in use"
                  name="version"
                  value={version}
                  onChange={(e) => setVersion(e.target.value)}
                  problem={problemOf(fields, 'version')}
                  spellCheck={false}
                  autoComplete="off"
                />
              </div>
              {card.best && <p className="text-sm text-ink-2">{card.best.why}</p>}
            </div>
          )}
          {doing === 'automatic' && !card.managesAll && (
            <label className="flex min-h-6 items-start gap-2">
              <input
                type="checkbox"
                checked={manageAll}
                onChange={(e) => setManageAll(e.target.checked)}
                className="mt-1"
              />
              <span>Have the boot images of all machine sets managed, in the same patch</span>
            </label>
          )}
          {error && !error.fields?.length && (
            <ErrorState
              error={error}
              action={
                <Button small onClick={() => setRound((n) => n + 1)}>
                  Try again
                </Button>
              }
            />
          )}
          {preview ? <WhatWillHappen preview={preview} /> : !error && <Skeleton height={160} />}
          <Textarea
            label="Reason"
            name="reason"
            value={reason}
            onChange={(e) => setReason(e.target.value)}
            problem={problemOf(fields, 'reason')}
            hint="Kept with the decision and in the audit."
          />
          {doing !== 'automatic' && (
            <TextInput
              label="Review on"
              name="reviewAt"
              type="date"
              value={reviewAt}
              onChange={(e) => setReviewAt(e.target.value)}
              problem={problemOf(fields, 'reviewAt')}
              hint="When somebody should look at this again."
            />
          )}
          {failed && <ErrorState error={failed} />}
        </div>
      )}
    </Sheet>
  )
}

function WhatWillHappen({ preview }: { preview: SkewPreview }) {
  const { follows, warnings, dryRun, call } = preview
  return (
    <div className="grid gap-3">
      {warnings.length > 0 && (
        <ul className="grid gap-1 rounded-md border border-line-strong bg-sunk px-3 py-2">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <Section title="What follows">
        <ul className="grid gap-1.5">
          {follows.sentences.map((sentence) => (
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
          <span aria-hidden className="mr-1.5">
            {dryRun.ok ? '✓' : '✕'}
          </span>
          {dryRun.sentence}
        </p>
        {dryRun.answer && <Answer>{dryRun.answer}</Answer>}
      </Section>
    </div>
  )
}
