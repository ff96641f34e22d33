'use client'

import { useState } from 'react'
import { UnderWay } from '@/components/openshift/under-way'
import { Answer, Chip, Day, RelativeTime } from '@/components/ui'
import { failedSentence, failedSince } from '@/lib/domain/boot-images/failed-pass'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import { ActSheet, type Start } from './act-sheet'
import { ActButtons } from './buttons'
import { CardFacts } from './card-facts'
import { Evidence } from './evidence'
import { FloorLine } from './floor-line'
import { Overwritten } from './overwritten'
import type { BootImageActions, Doing } from './types'
import { PASS_FAILED, stuckBeside, toldOf } from './words'
import { platformWords } from '@/lib/domain/skew/platform-words'

/** A cluster's verdict, what it rests on, and what can be done about it. */
export function ClusterCard({
  card,
  actions,
  mayAct,
}: {
  card: BootImageCard
  actions: BootImageActions
  mayAct: boolean
}) {
  const [doing, setDoing] = useState<{ what: Doing; start?: Start } | null>(null)
  const { words, tone } = toldOf(card)
  const fails = card.verdict === 'update-failing' ? null : card.passFailed
  const stands = stuckBeside(card)
  const away = card.cluster.state === 'unreachable' || card.cluster.state === 'unauthorised'
  const release = [card.version && `OpenShift ${card.version}`, card.platform && platformWords(card.platform)]
    .filter(Boolean)
    .join(' on ')
  return (
    <article
      className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-line bg-panel px-5 py-4 max-phone:px-4"
      aria-label={card.name}
    >
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm text-ink-3">
        <span>
          <b className="font-medium text-ink-2">{card.name}</b>
          {release && ` · ${release}`}
        </span>
        <Chip tone={fails && tone === 'good' ? 'plain' : tone}>{words}</Chip>
        {fails && <Chip tone="bad">{PASS_FAILED}</Chip>}
        {card.mode && <span>mode {card.mode}</span>}
        {card.pending && <Chip>the operator has not taken up the newest configuration</Chip>}
        {card.reviewDue && <Chip tone="needs">review due</Chip>}
      </header>
      {!away && card.unheard && (
        <p className="text-sm text-ink-2">
          Old data: last heard {card.unheard.since ? <RelativeTime at={card.unheard.since} /> : 'before'}. What is shown
          of its boot images is what was known then.
          {card.sentence.startsWith(card.unheard.why) ? '' : ` ${card.unheard.why}`}
        </p>
      )}
      {away && (
        <p className="text-sm text-ink-2">
          Old data: last heard {card.cluster.lastHeardAt ? <RelativeTime at={card.cluster.lastHeardAt} /> : 'never'}.{' '}
          {card.cluster.message}
        </p>
      )}
      <p className="text-md font-[560] text-pretty">{card.sentence}</p>
      {card.blocks && <p className="max-w-[84ch] text-pretty text-ink-2">{card.blocks}</p>}
      {card.passFailed && (
        <div className="max-w-[84ch] text-pretty text-ink-2">
          {/* Where it is the verdict, that says it already. */}
          {fails && <p className="font-medium text-blocked">{failedSentence(fails)}</p>}
          <p className={fails ? 'wrap-anywhere' : 'font-medium wrap-anywhere text-blocked'}>{card.passFailed}</p>
          <p>{failedSince(card.passFailed)}</p>
        </div>
      )}
      {stands && <p className="max-w-[84ch] font-medium text-pretty text-blocked">{stands}</p>}
      <Said card={card} />
      <LostSaid card={card} />
      {card.flaggedWhy && (
        <p className="max-w-[84ch] rounded-md border border-needs/40 bg-needs-soft px-3 py-2 text-pretty">
          The evidence speaks against what was acknowledged: {card.flaggedWhy}
        </p>
      )}
      {!card.unheard && <FloorLine card={card} />}
      <CardFacts card={card} />
      <Evidence card={card} />
      {card.otherReason && (
        <div className="text-sm text-ink-2">
          {card.otherReason.hides
            ? `The cluster’s operator gives another reason for keeping updates closed, ${card.otherReason.reason}, which hides this one:`
            : `The cluster’s operator keeps updates closed for another reason, ${card.otherReason.reason}:`}
          <Answer said="In its own words:">{card.otherReason.message}</Answer>
        </div>
      )}
      {card.acts && (
        <ActButtons
          card={card}
          mayAct={mayAct}
          leave={actions.cancel}
          onDo={(what) => setDoing({ what })}
          onRenew={() => setDoing({ what: 'acknowledge', start: renewed(card) })}
        />
      )}
      {card.action && !['seen', 'cancelled', 'superseded'].includes(card.action.state) && !doing && (
        <UnderWay
          action={card.action}
          words={DECIDED[card.action.action] ?? `Acknowledge ${card.action.version}`}
          {...(mayAct && { retry: actions.retry, leave: actions.cancel })}
          onConflict={() => setDoing({ what: card.action!.action, start: again(card.action!) })}
        />
      )}
      {doing && (
        <ActSheet
          key={doing.what}
          card={card}
          doing={doing.what}
          start={doing.start}
          actions={actions}
          onClose={() => setDoing(null)}
        />
      )}
    </article>
  )
}

/** As it was decided, with what the object says now. */
const again = ({ versionKind, version, reason, reviewAt, error }: NonNullable<BootImageCard['action']>): Start => ({
  versionKind: versionKind ?? 'OCPVersion',
  version: version ?? '',
  reason: reason ?? '',
  reviewAt,
  because: error,
})

/** What is acknowledged, to be said once more. */
const renewed = ({ recorded, saidWhy, reviewAt }: BootImageCard): Start => ({
  versionKind: recorded.ocpVersion ? 'OCPVersion' : 'RHCOSVersion',
  version: recorded.ocpVersion ?? recorded.rhcosVersion ?? '',
  reason: saidWhy ?? '',
  reviewAt,
  because: null,
})

const DECIDED: Record<string, string> = {
  'opt-out': 'Opt out of enforcement',
  automatic: 'Return to automatic',
}

const LOST: Record<string, string> = {
  'opt-out': 'The opting out',
  automatic: 'The return to automatic',
}

/** What was decided here, and does not stand any more. */
function LostSaid({ card: { lostWord, saidBy } }: { card: BootImageCard }) {
  if (!lostWord || saidBy) return null
  const { action, version, actorName } = lostWord
  return (
    <p className="max-w-[84ch] text-pretty text-ink-2">
      {LOST[action] ?? `The acknowledgement of ${version}`} by {actorName} does not stand any more.{' '}
      <Overwritten lost={lostWord} />
    </p>
  )
}

/** Who acknowledged or opted out, why, and until when. */
function Said({ card }: { card: BootImageCard }) {
  const { acknowledged } = card
  const until = (
    <>
      {card.reviewAt && (
        <>
          , {card.reviewDue ? 'due for review since' : 'to be reviewed on'} <Day at={card.reviewAt} />
        </>
      )}
      {card.saidWhy && <>: “{card.saidWhy}”</>}.
    </>
  )
  if (acknowledged)
    return (
      <p className="text-ink-2">
        Acknowledged as <span className="font-mono text-sm">{acknowledged}</span>
        {card.saidBy ? ` by ${card.saidBy}` : ', not from here'}
        {until}
      </p>
    )
  if (card.mode !== 'None' || !card.saidBy) return null
  return (
    <p className="text-ink-2">
      Opted out by {card.saidBy}
      {until}
    </p>
  )
}
