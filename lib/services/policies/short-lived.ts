import { shutTimes } from '@/lib/domain/calendar'
import { durationOf, type Policy } from '@/lib/domain/policies'
import { calendarOf, zoneOf } from './previewed-times'

/** Its approvals do not last over each time, within a year, in which its own windows and freezes let nothing begin; that is the first. */
export interface ShortLived {
  lasts: string
  from: string
  to: string
  timeZone: string | null
  /** How long they would have to last, to last over each. */
  enough: string
}

const [HOUR, DAY] = [3_600_000, 86_400_000]

/** So long many policies are looked at for what is but a hint. */
const BUDGET_MS = 2_000

/**
 * Null: they do, or it says nothing of the one or the other. Of many, a calendar that several have is played once, and as many as there
 * is time for.
 */
export function shortLived(now: number): (draft: Policy) => ShortLived | null {
  const known = new Map<string, ReturnType<typeof shutTimes>>()
  let spent = 0
  return (draft) => {
    const { expiresAfter: lasts, windows = [], freezes = [] } = draft.spec
    const ms = lasts === undefined ? null : durationOf(lasts)
    if (lasts === undefined || ms === null || windows.length + freezes.length === 0) return null
    const [key, calendar] = [JSON.stringify([windows, freezes]), calendarOf(draft)]
    if (!known.has(key) && spent < BUDGET_MS) {
      const begun = performance.now()
      known.set(key, shutIn(calendar, now))
      spent += performance.now() - begun
    }
    const tooLong = (known.get(key) ?? []).filter(({ from, to }) => to - from >= ms)
    const [first] = tooLong
    if (!first) return null
    const iso = (at: number) => new Date(at).toISOString()
    return {
      ...{ lasts, from: iso(first.from), to: iso(first.to), timeZone: zoneOf(calendar) },
      enough: durationOver(Math.max(...tooLong.map(({ from, to }) => to - from))),
    }
  }
}

/** What cannot be followed never opens, which is said elsewhere. */
function shutIn(calendar: ReturnType<typeof calendarOf>, now: number): ReturnType<typeof shutTimes> {
  try {
    return shutTimes(calendar, now)
  } catch {
    return []
  }
}

/** The next longer one in whole days, or hours. */
function durationOver(ms: number): string {
  return ms < DAY ? `${Math.floor(ms / HOUR) + 1}h` : `${Math.floor(ms / DAY) + 1}d`
}
