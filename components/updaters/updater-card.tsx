'use client'

import Link from 'next/link'
import { useState } from 'react'
import { useAction } from '@/components/live'
import { Button, count, ErrorState, RelativeTime } from '@/components/ui'
import type { UpdaterView } from '@/lib/services/updaters/overview'
import { UpdaterState } from './state'
import type { UpdaterActions } from './types'
import { groupsSentence } from './words'

interface Props {
  updater: UpdaterView
  place: number
  mayWrite: boolean
  check: UpdaterActions['check']
  onChecked(): void
  onEdit(): void
  onRemove(): void
  moving: { pending: boolean; up: boolean; down: boolean; run(to: 'up' | 'down'): void }
}

/** One updater: whom it is for, how it fares in a sentence, what it answered and what it covered. */
export function UpdaterCard({ updater, place, mayWrite, check, onChecked, onEdit, onRemove, moving }: Props) {
  const asking = useAction(check, onChecked)
  const { name } = updater
  // That it does not answer is its health, which goes on after this; and what was edited since was not asked.
  const about = JSON.stringify([updater.url, updater.caNotAfter, updater.groups])
  const [asked, setAsked] = useState('')
  const said = asking.value && asking.value.hooks.length > 0 && asked === about ? asking.value : null
  const ask = () => {
    setAsked(about)
    asking.run({ updaterId: updater.id })
  }
  const step = (to: 'up' | 'down', mark: string) => (
    // Not disabled at the ends: the focus would be lost on the way there.
    <Button
      small
      tone="bare"
      aria-label={`Move ${name} ${to}`}
      aria-disabled={!moving[to] || moving.pending}
      onClick={() => moving[to] && !moving.pending && moving.run(to)}
      className={moving[to] ? '' : 'opacity-40'}
    >
      <span aria-hidden>{mark}</span>
    </Button>
  )
  return (
    <li className="rounded-lg border border-line bg-panel px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-ink-3">{place}.</span>
        <h3 className="font-mono font-medium break-all">{name}</h3>
        <UpdaterState health={updater.health} />
        {mayWrite && (
          <span className="ml-auto flex flex-wrap items-center gap-1">
            {step('up', '↑')}
            {step('down', '↓')}
            <Button small pending={asking.pending} onClick={ask}>
              Ask {name} now
            </Button>
            <Button small tone="bare" onClick={onEdit} aria-label={`Edit ${name}…`}>
              Edit…
            </Button>
            <Button small tone="bare" onClick={onRemove} aria-label={`Remove ${name}…`}>
              Remove…
            </Button>
          </span>
        )}
      </div>
      <p className="mt-1 text-ink-2">
        <span className="font-mono text-sm break-all">{updater.url}</span> · asked about{' '}
        {groupsSentence(updater.groups)} of {updater.clusterId ? 'this management cluster' : 'every management cluster'}{' '}
        ·{' '}
        {updater.caNotAfter ? (
          <>
            its authority ends <RelativeTime at={updater.caNotAfter} />
          </>
        ) : (
          'its authority cannot be read'
        )}
      </p>
      {updater.groups === 'unreadable' && (
        <p className="mt-1 text-pretty text-blocked">
          Which groups it is for cannot be read: something else than Drydock changed that. Nothing can be approved in
          place until it is edited or removed.
        </p>
      )}
      <Health updater={updater} />
      {said && (
        <p role="status" className="mt-1 text-pretty">
          {said.problem ? (
            <span className="text-blocked">{said.problem}</span>
          ) : (
            <>
              It answered in {said.ms} ms and handles {said.hooks.join(', ')}.
              {said.certificateEnds && (
                <>
                  {' '}
                  Its certificate ends <RelativeTime at={said.certificateEnds} />.
                </>
              )}
              {said.notFor && ` ${said.notFor}`}
            </>
          )}
        </p>
      )}
      <ErrorState className="mt-2" error={asking.error} />
      <Covered updater={updater} />
      {updater.answers.length > 0 && (
        <details className="mt-2">
          <summary className="text-ink-2">Last answers</summary>
          <ul className="mt-1 grid gap-1 text-sm">
            {updater.answers.map((answer, i) => (
              <li key={i} className="text-pretty break-words">
                <span className={answer.ok ? 'text-done' : 'text-blocked'}>{answer.ok ? '✓' : '✕'}</span>{' '}
                <span className="sr-only">{answer.ok ? 'good' : 'failed'}</span>
                <span className="font-mono">{answer.hook}</span>: {answer.message}{' '}
                <span className="text-ink-3">
                  {answer.count > 1 && `${count(answer.count, 'time')}, last `}
                  <RelativeTime at={answer.lastAt} />, {answer.ms} ms
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  )
}

function Health({ updater: { health } }: { updater: UpdaterView }) {
  if (!health.askedAt) return <p className="mt-1 text-ink-3">Nobody has asked it yet.</p>
  return (
    <p className="mt-1 text-pretty break-words">
      {health.failingSince ? (
        <>
          It fails, first <RelativeTime at={health.failingSince} />: {health.error}
        </>
      ) : (
        <>
          Its last answer was good: <RelativeTime at={health.askedAt} />, in {health.ms} ms.
        </>
      )}
    </p>
  )
}

function Covered({ updater }: { updater: UpdaterView }) {
  if (updater.covered.length === 0)
    return <p className="mt-2 text-sm text-ink-3">It covers no field of the last changes here.</p>
  return (
    <div className="mt-2 text-sm">
      <h4 className="font-medium">Covered of the last changes</h4>
      <ul className="mt-1 grid gap-1">
        {updater.covered.map((change) => (
          <li key={change.changeId} className="min-w-0 wrap-anywhere">
            <Link href={`/updates/${change.changeId}`} className="underline-offset-2 hover:underline">
              {change.group}
            </Link>
            : <span className="font-mono">{change.fields.slice(0, 4).join(', ')}</span>
            {change.fields.length > 4 && ` and ${count(change.fields.length - 4, 'more field', 'more fields')}`}{' '}
            <span className="text-ink-3">
              <RelativeTime at={change.detectedAt} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
