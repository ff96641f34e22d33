import clsx from 'clsx'
import { absoluteTime } from '@/components/ui'
import type { TimelineEntry } from '@/lib/services/changes/timeline'

const SIGN: Record<TimelineEntry['tone'], string> = { plain: '·', good: '✓', bad: '✕' }

/** What happened, the newest last, as in a log. */
export function Timeline({ entries }: { entries: TimelineEntry[] }) {
  return (
    <ol className="grid gap-0.5">
      {entries.map((entry, i) => {
        const at = new Date(entry.at)
        const day = entry.at.slice(0, 10)
        const newDay = i === 0 || entries[i - 1]!.at.slice(0, 10) !== day
        return (
          <li key={i} className="grid grid-cols-[64px_14px_minmax(0,1fr)] items-baseline gap-x-2">
            {newDay && (
              <span className={clsx('col-span-3 font-mono text-sm text-ink-3', i > 0 && 'mt-2')}>{day}, UTC</span>
            )}
            <time dateTime={entry.at} title={absoluteTime(at)} className="font-mono text-sm text-ink-3">
              {entry.at.slice(11, 19)}
            </time>
            <span
              aria-hidden
              className={clsx(
                'text-center font-semibold',
                entry.tone === 'bad' ? 'text-blocked' : entry.tone === 'good' ? 'text-done' : 'text-ink-3',
              )}
            >
              {SIGN[entry.tone]}
            </span>
            <span className={clsx('wrap-anywhere', entry.tone === 'bad' && 'text-blocked')}>
              {entry.text}
              {entry.count && (
                <span className="text-ink-3">
                  {' '}
                  × {entry.count}
                  {entry.until && `, until ${entry.until.slice(11, 19)}`}
                </span>
              )}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
