'use client'

import { useState } from 'react'
import { AskAgain, useAction, useAsked } from '@/components/live'
import { ErrorState } from '@/components/ui'
import { ReasonSheet } from '@/components/updates/reason-sheet'
import type { ActionResult } from '@/lib/auth'
import type { WaveBesides } from '@/lib/services/changes/wave-besides'
import type { RunDto } from '@/lib/services/waves/list-runs'
import {
  besidesWords,
  groupsByResume,
  groupsBySkip,
  groupsOfWave,
  passedOver,
  skipWords,
  stoppedWith,
  stoppedByWords,
} from './words'

interface Run {
  policyId: string
  wish: string
}
export interface WaveActions {
  begin(input: Run & { wave: string; bound: string; reason?: string }): Promise<ActionResult<void>>
  takeBack(input: Run & { wave: string }): Promise<ActionResult<void>>
  skip(input: Run & { wave: string; bound: string; reason: string }): Promise<ActionResult<void>>
  waitFor(input: Run & { wave: string }): Promise<ActionResult<void>>
  stop(input: Run & { reason?: string }): Promise<ActionResult<void>>
  resume(input: Run & { stoppedAt?: string; reason?: string }): Promise<ActionResult<void>>
  besides(
    input: Run & ({ wave: string; what: 'begin' | 'skip' } | { what: 'resume' }),
  ): Promise<ActionResult<WaveBesides>>
}

/**
 * `bound`: how the wave is written that is looked at; `reasonAsked`: who asks for a reason; `through`: it only soaks; `waits`: it waits
 * itself, and for what (null: it is open).
 */
export type Asking =
  | { what: 'stop' }
  | { what: 'resume' }
  | { what: 'begin'; wave: string; bound: string; reasonAsked: string | null }
  | { what: 'skip'; wave: string; bound: string; through: boolean; waits: string | null }

/** Before somebody says something about the waves of a run: what that does, and why it is said. */
export function WaveSheet({
  run,
  asking,
  actions,
  onDone,
  onClose,
}: {
  run: RunDto
  asking: Asking
  actions: WaveActions
  onDone(): void
  onClose(): void
}) {
  const about = { policyId: run.policy.id, wish: run.wish }
  // As it stood when the sheet opened.
  const [stopped] = useState(run.stopped)
  const act = useAction<string | undefined, void>(
    (given) => {
      const reason = given ? { reason: given } : {}
      if (asking.what === 'stop') return actions.stop({ ...about, ...reason })
      if (asking.what === 'resume')
        return actions.resume({ ...about, ...(stopped ? { stoppedAt: stopped.at } : {}), ...reason })
      const { wave, bound } = asking
      return asking.what === 'begin'
        ? actions.begin({ ...about, wave, bound, ...reason })
        : actions.skip({ ...about, wave, bound, reason: given ?? '' })
    },
    () => {
      onDone()
      onClose()
    },
  )
  const asks = asking.what === 'begin' ? asking.reasonAsked : null
  const { title, verb, words, tone } = textOf(asking)
  const begun = asking.what === 'begin' ? run.waves.find(({ name }) => name === asking.wave)?.begun : null
  const skipped = asking.what === 'skip' ? run.waves.find(({ name }) => name === asking.wave) : undefined
  const concerned = asking.what === 'stop' ? stoppedWith(run.waves) : skipped ? passedOver(skipped) : []
  return (
    <ReasonSheet
      {...{ act, title, verb, tone, onClose }}
      over={begun ? `${begun.by} has said already that it begins.` : null}
      crumb={`Waves of ${run.summary}`}
      optional={asking.what !== 'skip' && !asks}
      onRun={act.run}
      hint={`${asks ? `${asks} asks for one. ` : ''}It is kept in the audit, with your name.`}
    >
      {concerned.map((sentence) => (
        <p key={sentence} className="font-medium wrap-anywhere">
          {sentence}
        </p>
      ))}
      {asking.what === 'resume' && stopped && <p className="wrap-anywhere">{stoppedByWords(stopped)}</p>}
      {words.map((sentence) => (
        <p key={sentence} className="wrap-anywhere">
          {sentence}
        </p>
      ))}
      {asking.what === 'resume' && <Besides of={{ ...about, what: 'resume' }} besides={actions.besides} />}
      {(asking.what === 'begin' || asking.what === 'skip') && (
        <Besides of={{ ...about, wave: asking.wave, what: asking.what }} besides={actions.besides} />
      )}
    </ReasonSheet>
  )
}

/** The groups that may go by it, and what holds them all the same. */
function Besides({ of, besides }: { of: Parameters<WaveActions['besides']>[0]; besides: WaveActions['besides'] }) {
  const asked = useAsked(besides, of)
  const { value, error, pending } = asked
  if (error) return <ErrorState error={error} action={<AskAgain asked={asked} />} />
  if (!value) return pending ? <p className="text-ink-3">Looking at its groups…</p> : null
  const groups = GROUPS[of.what](value)
  return [...groups, ...besidesWords(value)].map((sentence) => (
    <p key={sentence} className="font-medium wrap-anywhere">
      {sentence}
    </p>
  ))
}

const GROUPS = {
  begin: (of: WaveBesides) => groupsOfWave(of),
  skip: groupsBySkip,
  resume: groupsByResume,
}

interface Text {
  title: string
  verb: string
  words: string[]
  tone: 'primary' | 'danger'
}
function textOf(asking: Asking): Text {
  if (asking.what === 'stop') return STOP
  if (asking.what === 'resume') return RESUME
  return asking.what === 'begin' ? beginText(asking.wave) : skipText(asking)
}

const beginText = (wave: string): Text => ({
  title: `Begin ${wave}`,
  verb: 'Begin',
  words: [
    'What is approved in it, and held by nothing else, goes at once. It takes the place of no approval, and is said of this run only: of a restart, also of what is wanted with another date within a day.',
    'It can be taken back for as long as nothing of it has moved.',
  ],
  tone: 'primary',
})

const skipText = ({ wave, through, waits }: Extract<Asking, { what: 'skip' }>): Text => ({
  title: `Do not wait for ${wave}`,
  verb: 'Do not wait for it',
  words: [
    skipWords(through, waits),
    'It can be taken back for what has not begun by then, and is said of this run only: of a restart, also of what is wanted with another date within a day.',
  ],
  tone: 'danger',
})

const RESUME: Text = {
  title: 'Let its waves go on',
  verb: 'Let it go on',
  words: ['What is approved goes, as soon as its wave is open, and nothing else holds it.'],
  tone: 'primary',
}

const STOP: Text = {
  title: 'Stop all waves',
  verb: 'Stop',
  words: [
    'Machines that have begun are finished. Nothing else of this run begins, in any wave, before somebody with the role approver lets it go on; what was approved stands.',
    'While a group is held its other settings do not reach its machines, and it scales only where its policy lets it; nodes of a held pool take up nothing else, and new ones may join it.',
  ],
  tone: 'primary',
}
