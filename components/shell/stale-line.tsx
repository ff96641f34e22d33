'use client'

import { useParams, useSearchParams } from 'next/navigation'
import { useLive, usePageCluster } from '@/components/live'
import { ago } from '@/components/ui/time-words'
import { foremost, troubleWords } from './trouble-words'
import { useNow } from '@/components/ui/time'
import type { ShellCluster } from '@/lib/services/fleet/get-shell'

/** Only there when something on the page may be old; says what, how old, and what happens about it. */
export function StaleLine({ clusters }: { clusters: ShellCluster[] }) {
  const now = useNow()
  const live = useLive()
  const here = [useSearchParams().get('cluster'), useParams<{ id?: string }>()?.id, usePageCluster()]
  const lines = foremost(
    clusters.filter((c) => c.trouble),
    here,
  ).map((c) => `${c.name}: ${troubleWords(c, now)}`)
  // A reconnect within moments is not worth a line.
  if (!live.connected && now - live.since > 2500)
    lines.unshift(`This page: not live since ${ago(new Date(live.heardAt), now, true)}, reconnecting`)
  return (
    <div role="status" className="sticky top-11 z-10 max-phone:top-12">
      {lines.length > 0 && (
        <p
          data-stale
          suppressHydrationWarning
          className="border-b border-line bg-sunk px-6 py-1 text-sm text-ink-2 max-phone:px-3.5"
        >
          <span aria-hidden className="mr-1.5 text-blocked">
            ◌
          </span>
          {lines.slice(0, 3).join(' · ')}
          {lines.length > 3 && ` · and ${lines.length - 3} more`}
        </p>
      )}
    </div>
  )
}
