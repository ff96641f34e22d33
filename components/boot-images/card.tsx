'use client'

import { useState } from 'react'
import { Answer, Button, Chip, RelativeTime, Ticks, type ChipTone } from '@/components/ui'
import type { BootImageCard } from '@/lib/services/skew/list'
import { ActSheet } from './act-sheet'
import { FloorLine } from './floor-line'
import { MachineSets } from './sets'
import type { BootImageActions, Doing } from './types'

const TONES: Record<BootImageCard['verdict'], { tone: ChipTone; words: string }> = {
  'out-of-skew': { tone: 'bad', words: 'updates closed' },
  'update-failing': { tone: 'bad', words: 'updates closed' },
  unknown: { tone: 'plain', words: 'unknown' },
  evaluating: { tone: 'plain', words: 'being evaluated' },
  'not-enforced': { tone: 'plain', words: 'not enforced' },
  'unsupported-release': { tone: 'plain', words: 'no limit here' },
  ok: { tone: 'good', words: 'in range' },
}
const SURE = { certain: 'certain', likely: 'likely', 'at-least': 'no older than', unknown: 'unknown' } as const

export function ClusterCard({
  card,
  actions,
  mayAct,
}: {
  card: BootImageCard
  actions: BootImageActions
  mayAct: boolean
}) {
  const [doing, setDoing] = useState<Doing | null>(null)
  const { tone, words } = TONES[card.verdict]
  const unheard = card.cluster.state === 'unreachable' || card.cluster.state === 'unauthorised'
  const release = [card.version && `OpenShift ${card.version}`, card.platform].filter(Boolean).join(' on ')
  const acknowledged = acknowledgedIn(card)
  const { action } = card
  const byUs = action?.action === 'acknowledge' && action.state === 'seen' && action.version === acknowledged
  const optedOut = action?.action === 'opt-out' && action.state === 'seen' && card.mode === 'None'
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
        <Chip tone={tone}>{words}</Chip>
        {card.mode && <span>mode {card.mode}</span>}
        {card.pending && <Chip>the operator has not taken up the newest configuration</Chip>}
      </header>
      {unheard && (
        <p className="text-sm text-ink-2">
          Old data: last heard {card.cluster.lastHeardAt ? <RelativeTime at={card.cluster.lastHeardAt} /> : 'never'}.{' '}
          {card.cluster.message}
        </p>
      )}
      <p className="text-md font-[560] text-pretty">{card.sentence}</p>
      {card.blocks && <p className="max-w-[84ch] text-pretty text-ink-2">{card.blocks}</p>}
      {acknowledged && (
        <p className="text-ink-2">
          Acknowledged as <span className="font-mono text-sm">{acknowledged}</span>
          {byUs ? ` by ${action.actorName}` : ', not from here'}
          {byUs && action.reviewAt && (
            <>
              , to be reviewed <RelativeTime at={action.reviewAt} />
            </>
          )}
          {byUs && action.reason && <>: “{action.reason}”</>}.
        </p>
      )}
      {optedOut && (
        <p className="text-ink-2">
          Opted out by {action.actorName}
          {action.reviewAt && (
            <>
              , to be reviewed <RelativeTime at={action.reviewAt} />
            </>
          )}
          {action.reason && <>: “{action.reason}”</>}.
        </p>
      )}
      <FloorLine card={card} />
      {card.evidence.length > 0 && (
        <details open={card.verdict === 'out-of-skew'}>
          <summary className="min-h-6 w-fit text-sm font-medium text-ink-2 pointer-coarse:min-h-11 pointer-coarse:leading-[44px]">
            Evidence
          </summary>
          <ul className="mt-1.5 grid gap-1">
            {card.evidence.map((item) => (
              <li
                key={item.sentence}
                className="flex items-baseline gap-2 text-sm max-phone:mb-1 max-phone:grid max-phone:gap-0"
              >
                <span className="w-24 flex-none text-ink-3">{SURE[item.sure]}</span>
                <span className="min-w-0 wrap-anywhere text-ink-2">{item.sentence}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {card.otherReason && (
        <div className="text-sm text-ink-2">
          The cluster’s operator gives another reason for keeping updates closed, {card.otherReason.reason}, which hides
          this one:
          <Answer>{card.otherReason.message}</Answer>
        </div>
      )}
      {card.skewSupported && <Buttons card={card} mayAct={mayAct} onDo={setDoing} />}
      {card.action && !['seen', 'cancelled'].includes(card.action.state) && !doing && (
        <Ticks
          state={card.action.state}
          recordedAt={card.action.recordedAt}
          acceptedAt={card.action.acceptedAt}
          seenAt={card.action.seenAt}
          error={card.action.error}
          answer={card.action.state === 'failed' ? card.action.answer : null}
          onRetry={
            mayAct
              ? () =>
                  card.action?.conflict
                    ? setDoing(card.action.action)
                    : void actions.retry({ actionId: card.action?.id })
              : undefined
          }
        />
      )}
      <MachineSets card={card} />
      {doing && <ActSheet key={doing} card={card} doing={doing} actions={actions} onClose={() => setDoing(null)} />}
    </article>
  )
}

/** The version that the cluster's own configuration acknowledges, whoever wrote it there. */
const acknowledgedIn = ({ mode, configured, recorded }: BootImageCard): string | null =>
  mode === 'Manual' && configured ? (recorded.ocpVersion ?? recorded.rhcosVersion) : null

function Buttons({ card, mayAct, onDo }: { card: BootImageCard; mayAct: boolean; onDo(doing: Doing): void }) {
  if (!mayAct) return <p className="text-sm text-ink-3">Acknowledging and opting out need the role operator.</p>
  const acknowledged = acknowledgedIn(card)
  const best = card.best?.version ?? null
  const urgent = card.verdict === 'out-of-skew' || card.verdict === 'update-failing'
  return (
    <div className="flex flex-wrap gap-2 max-phone:grid">
      <Button tone={urgent ? 'primary' : 'plain'} onClick={() => onDo('acknowledge')}>
        {acknowledged && (best === null || best === acknowledged)
          ? 'Change the acknowledged version'
          : `Acknowledge ${best ?? 'a version'}${acknowledged ? ' instead' : ''}`}
      </Button>
      {card.mode !== 'None' && (
        <Button tone="bare" onClick={() => onDo('opt-out')}>
          Opt out of enforcement
        </Button>
      )}
      {(card.configured || !card.managesAll) && (
        <Button tone="bare" onClick={() => onDo('automatic')}>
          Return to automatic
        </Button>
      )}
    </div>
  )
}
