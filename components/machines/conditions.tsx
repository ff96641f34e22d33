import { absoluteTime } from '@/components/ui'
import type { Condition } from '@/lib/domain/rows'
import { messagesOf } from './said'

/** Conditions that say trouble by being True; for all others True is good. */
const NEGATIVE = new Set(['Deleting', 'Paused', 'Updating', 'Remediating', 'RollingOut', 'ScalingUp', 'ScalingDown'])

/** In the order in which the object has them. */
export function Conditions({ conditions }: { conditions: Condition[] }) {
  if (conditions.length === 0) return <p className="text-ink-3">The object has no conditions yet.</p>
  const messages = messagesOf(conditions)
  return (
    <ul className="grid">
      {conditions.map((c, i) => (
        <li
          key={c.type}
          className="grid grid-cols-[16px_minmax(0,1fr)_auto] gap-x-2 border-t border-line py-1.5 first:border-t-0"
        >
          <Sign condition={c} />
          <span className="min-w-0 font-medium break-words">{c.type}</span>
          <span
            className="text-sm text-ink-2"
            title={c.lastTransitionTime ? `since ${absoluteTime(new Date(c.lastTransitionTime))}` : undefined}
          >
            {c.status}
            {c.reason && ` · ${c.reason}`}
          </span>
          {messages[i] && (
            <p className="col-span-2 col-start-2 text-sm wrap-anywhere whitespace-pre-line text-ink-2">{messages[i]}</p>
          )}
        </li>
      ))}
    </ul>
  )
}

function Sign({ condition: { type, status } }: { condition: Condition }) {
  const negative = NEGATIVE.has(type)
  if (status === 'Unknown') return <span className="text-center text-ink-3">?</span>
  if ((status === 'True') !== negative) return <span className="text-center text-done">{negative ? '' : '✓'}</span>
  return negative ? (
    <span className="text-center text-ink-2">●</span>
  ) : (
    <span className="text-center text-blocked">✕</span>
  )
}
