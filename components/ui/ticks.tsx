'use client'

import { Button } from './button'
import { Answer } from './states'
import { RelativeTime } from './time'

export interface TicksProps {
  /** recorded | applying | accepted | seen | failed | voided | superseded | overtaken */
  state: string
  recordedAt: string
  acceptedAt: string | null
  seenAt: string | null
  /** How often it was tried, and no answer is known: it is tried again by itself. */
  unanswered?: number | null
  /** It failed without an answer that says so: it may be stored all the same. */
  unsure?: boolean
  /** What it did instead of taking it. */
  refusal?: string
  /** Our sentence when it failed, and the API server's own words. */
  error?: string | null
  answer?: string | null
  /** What "seen" means here: "seen in the watch". */
  seenLabel?: string
  onRetry?(): void
  retrying?: boolean
  /** Where it is not simply tried again. */
  retryLabel?: string
}

type Mark = 'done' | 'waiting' | 'failed'
export interface Step {
  label: string
  mark: Mark
  /** When it was observed. */
  at?: string | null
  /** What it waits for, or how it failed. */
  words?: string
  /** Of what failed: when it was tried last. */
  tried?: string
}
const SIGNS: Record<Mark, string> = { done: '✓', waiting: '○', failed: '✕' }
const COLOURS: Record<Mark, string> = { done: 'text-done', waiting: 'text-ink-3', failed: 'text-blocked' }

/** What truly happened to a decision, as it happens. Nothing here is expected, only observed. */
export function Ticks(props: TicksProps) {
  const { state, unanswered, error, answer, onRetry, retrying, retryLabel = 'Retry' } = props
  const failed = state === 'failed'
  const overtaken = state === 'overtaken'
  return (
    <div className="grid gap-2">
      <Steps steps={tickedSteps(props)} />
      {unanswered && answer && <Answer said="The last time:">{answer}</Answer>}
      {overtaken && error && <p className="max-w-[84ch] text-pretty">{error}</p>}
      {failed && (
        <div role="alert" className="grid gap-1">
          <p className="text-blocked">{error ?? 'The cluster did not accept it.'}</p>
          {answer && <Answer>{answer}</Answer>}
          {onRetry && (
            <div>
              <Button small onClick={onRetry} pending={retrying}>
                {retryLabel}
              </Button>
            </div>
          )}
        </div>
      )}
    </div>
  )
}

/** How far it is known to have come. */
export function tickedSteps(props: TicksProps): Step[] {
  const {
    state,
    recordedAt,
    acceptedAt,
    seenAt,
    unanswered,
    unsure,
    refusal = 'refused',
    seenLabel = 'Seen in the watch',
  } = props
  const failed = state === 'failed'
  // It was taken, and somebody wrote over it before it was seen.
  const overtaken = state === 'overtaken'
  return [
    { label: 'Recorded', at: recordedAt, mark: 'done', words: '' },
    {
      label: 'Accepted by the cluster',
      at: acceptedAt,
      mark: acceptedAt ? 'done' : failed && !unsure ? 'failed' : 'waiting',
      words: failed ? (unsure ? 'not known whether it took it' : refusal) : (OVER[state] ?? waitsWords(unanswered)),
    },
    {
      label: seenLabel,
      at: seenAt,
      mark: seenAt ? 'done' : acceptedAt && (failed || overtaken) ? 'failed' : 'waiting',
      words: overtaken ? CHANGED_BEFORE : acceptedAt ? 'waiting for the watch' : '',
    },
  ]
}

/** Of what is not waited for any more. */
export const CHANGED_BEFORE = 'changed before that'

/** Of what will not be asked any more. */
const OVER: Record<string, string> = {
  voided: 'not asked: the change is no longer the same',
  superseded: 'it failed, and a newer decision has taken its place',
}

const waitsWords = (unanswered: number | null | undefined): string =>
  unanswered
    ? `no answer is known after ${unanswered} tries; Drydock tries it again by itself`
    : 'waiting for its answer'

/** Steps with their marks, as far as they have truly come. */
export function Steps({ steps }: { steps: Step[] }) {
  return (
    <ol className="grid gap-1" aria-live="polite">
      {steps.map(({ label, at, mark, words, tried }) => (
        <li key={label} className="flex items-baseline gap-2">
          <span aria-hidden className={`w-4 text-center font-semibold ${COLOURS[mark]}`}>
            {SIGNS[mark]}
          </span>
          <span className={mark === 'waiting' ? 'text-ink-3' : ''}>{label}</span>
          <span className="text-sm text-ink-3">
            {at ? <RelativeTime at={at} /> : words}
            {tried && (
              <>
                , tried <RelativeTime at={tried} />
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}
