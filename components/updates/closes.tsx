'use client'

import { useQuery } from '@tanstack/react-query'
import { getJson } from '@/components/live'
import { useNow } from '@/components/ui/time'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { ChangeForecast } from '@/lib/services/forecast/forecast-change'
import { closesFor, isKnown } from './standing-words'
import { throughWords } from './timing-words'

/** Before it is approved: until when machines may move, and how many are through by then. */
export function Closes({ change, mode }: { change: UpdateDetail; mode: 'in-place' | 'replace' }) {
  const now = useNow()
  const { policy } = change
  const known = isKnown(policy) ? policy : null
  const timing = known?.listed.timing
  const closes = timing?.open === true && timing.closes !== null
  // With others to approve it, too, nobody knows when it begins.
  const atOnce = (known?.ways[mode].missing ?? 0) <= 1
  const { data } = useQuery({
    queryKey: ['forecast', change.id, change.fingerprint, 'before it closes'],
    queryFn: ({ signal }) => getJson<ChangeForecast>(`/api/updates/${change.id}/forecast`, signal),
    enabled: closes && atOnce,
  })
  if (!closes) return null
  const plan = (mode === 'in-place' ? data?.inPlace : data?.replace) ?? null
  return (
    <p className="max-w-[60ch] wrap-anywhere" suppressHydrationWarning>
      {[closesFor(timing, false, change.unheard), throughWords(timing, plan, now)].filter(Boolean).join(' ')}
    </p>
  )
}
