'use client'

import { useState } from 'react'
import { AskAgain, useAsked } from '@/components/live'
import { Asking } from '@/components/openshift/asking'
import { DoneSheet } from '@/components/openshift/done-sheet'
import { useDecision } from '@/components/openshift/use-decision'
import { WhatFollows } from '@/components/openshift/what-follows'
import { besideWhy, dayOf, isPast, saidAnew, Why } from '@/components/openshift/why'
import { Commit, ErrorState, problemOf, Select, Sheet, TextInput } from '@/components/ui'
import { planeBeside } from '@/lib/domain/skew/plane-beside'
import { versionProblem } from '@/lib/domain/skew/validate'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import { CHOICE_ALONE } from './choice'
import { ConfirmVersion } from './confirm-version'
import { Meanwhile } from './meanwhile'
import type { BootImageActions, Doing } from './types'

const TITLES: Record<Doing, string> = {
  acknowledge: 'Acknowledge a boot image version',
  'opt-out': 'Opt out of enforcement',
  automatic: 'Return to automatic',
}
const CONFIRM: Record<Doing, string> = {
  acknowledge: 'Confirm the version first.',
  'opt-out': 'Confirm it first.',
  automatic: 'Confirm what it closes first.',
}
const CALLS = { acknowledge: 'acknowledge', 'opt-out': 'optOut', automatic: 'automatic' } as const

export interface Start {
  versionKind: string
  version: string
  reason: string
  /** When it is to be reviewed; null: no date was set. */
  reviewAt: string | null
  /** Why it is looked at again. */
  because: string | null
}

interface Props {
  card: BootImageCard
  doing: Doing
  /** What it begins with: as it was decided before; absent: what the evidence says. */
  start?: Start
  actions: BootImageActions
  onClose(): void
}

/** What will happen, the call verbatim, the server's own answer to it, why and until when; then the three ticks. */
export function ActSheet({ card, doing, start, actions, onClose }: Props) {
  const { offer } = card
  const [versionKind, setKind] = useState<string>(start?.versionKind ?? offer?.versionKind ?? 'OCPVersion')
  const [version, setVersion] = useState(start?.version ?? offer?.version ?? '')
  const [manageAll, setManageAll] = useState(false)
  // The date that stands is shown, and not dropped in silence.
  const [standing] = useState(() => (start ? start.reviewAt : standingReview(card, doing)))
  const [said, setSaid] = useState({ reason: start?.reason ?? '', reviewAt: dayOf(standing) })
  // What stood at the box, which names the version: anything else is to be confirmed anew.
  const [confirmed, setConfirmed] = useState<string | null>(null)
  const wish = {
    clusterId: card.clusterId,
    ...(doing === 'acknowledge' && { versionKind, version }),
    ...(doing === 'automatic' && { manageAll }),
  }
  const preview = useAsked(actions.preview, { ...wish, action: doing })
  const decision = useDecision(actions[CALLS[doing]], actions.retry, preview)
  const { done, failed } = decision

  const confirm = preview.value?.confirm ?? null
  const kind = versionKind === 'RHCOSVersion' ? versionKind : 'OCPVersion'
  const plane = versionProblem(kind, version.trim()) ? null : planeBeside(card.sets, { kind, version: version.trim() })
  const unconfirmed = confirm !== null && confirmed !== confirm
  // Its own is on its way at once.
  const underWay = decision.pending ? null : card.underWay

  function decide() {
    if (!preview.value) return
    decision.run({
      ...{ ...wish, confirmed },
      uid: preview.value.uid,
      resourceVersion: preview.value.resourceVersion,
      generation: preview.value.generation ?? undefined,
      ...(doing === 'automatic' ? { reason: said.reason.trim() || undefined } : saidAnew(said, standing)),
    })
  }

  if (done) {
    const action = card.action?.id === done.id ? card.action : done
    const title = TITLES[doing]
    return <DoneSheet {...{ title, action, decision, onClose }} crumb={card.name} sentence={card.sentence} />
  }
  const arrives = doing === 'automatic' ? preview.value?.follows.mode : null
  const fields = [...(preview.error?.fields ?? []), ...(failed?.fields ?? [])]
  return (
    <Sheet
      open
      onClose={onClose}
      title={TITLES[doing]}
      crumb={card.name}
      width={560}
      footer={
        <>
          {underWay && <Meanwhile underWay={underWay} leave={actions.cancel} inSheet />}
          {unconfirmed && <p className="basis-full text-sm text-ink-2">{CONFIRM[doing]}</p>}
          <Commit
            onClose={onClose}
            pending={decision.pending}
            disabled={preview.pending || !preview.value?.dryRun.ok || unconfirmed || underWay !== null || isPast(said)}
            onClick={decide}
          >
            {doing === 'acknowledge'
              ? `Acknowledge ${problemOf(fields, 'version') ? '…' : version || '…'}`
              : arrives && arrives !== 'Automatic'
                ? 'Let the operator decide'
                : TITLES[doing]}
          </Commit>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {start?.because && (
          <p className="rounded-md border border-line-strong bg-sunk px-3 py-2 text-pretty wrap-anywhere">
            {start.because}
          </p>
        )}
        {doing === 'acknowledge' && (
          <div className="grid gap-2">
            <div className="grid grid-cols-[150px_minmax(0,1fr)] items-start gap-3 max-phone:grid-cols-1">
              <Select label="Kind" name="versionKind" value={versionKind} onChange={(e) => setKind(e.target.value)}>
                <option value="OCPVersion">OCP version</option>
                <option value="RHCOSVersion">RHCOS version</option>
              </Select>
              <TextInput
                label="Oldest boot image in use"
                name="version"
                mono
                value={version}
                onChange={(e) => setVersion(e.target.value)}
                problem={problemOf(fields, 'version')}
                spellCheck={false}
                autoComplete="off"
              />
            </div>
            {offer?.why && <p className="text-sm text-pretty text-ink-2">{offer.why}</p>}
            {plane && <p className="text-sm text-pretty text-ink-2">{plane}</p>}
          </div>
        )}
        {doing === 'automatic' && card.managing && !card.managesAll && (
          <label className={CHOICE_ALONE}>
            <input
              type="checkbox"
              checked={manageAll}
              onChange={(e) => setManageAll(e.target.checked)}
              className="mt-1"
            />
            <span>Have the boot images of all machine sets managed, in the same patch</span>
          </label>
        )}
        <ErrorState
          error={preview.error?.fields?.length ? null : preview.error}
          action={<AskAgain asked={preview} />}
        />
        {preview.value ? (
          <div className={preview.pending ? 'opacity-60' : ''} aria-busy={preview.pending}>
            {confirm && (
              <div className="mb-4">
                <ConfirmVersion
                  sentence={confirm}
                  records={doing === 'acknowledge'}
                  checked={!unconfirmed}
                  onChange={(on) => setConfirmed(on ? confirm : null)}
                />
              </div>
            )}
            <WhatFollows
              {...preview.value}
              asked={preview}
              follows={preview.value.follows.sentences}
              // What is to be confirmed stands at its box, in one.
              warnings={preview.value.warnings.filter((warning) => !confirm?.includes(warning))}
            />
          </div>
        ) : (
          !preview.error && <Asking height={320} />
        )}
        <Why
          said={said}
          onChange={setSaid}
          fields={fields}
          review={doing !== 'automatic' ? 'When somebody should look at this again.' : null}
        />
        <ErrorState error={besideWhy(failed)} />
      </div>
    </Sheet>
  )
}

/** Of the same decision: a date for what was acknowledged says nothing of an opt-out. */
const standingReview = ({ mode, reviewAt }: BootImageCard, doing: Doing): string | null =>
  doing === (mode === 'None' ? 'opt-out' : 'acknowledge') ? reviewAt : null
