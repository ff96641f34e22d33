import type { Resolved, Span } from '../policies'
import { intervalsOf, type Interval } from './spans'

/** Whether machines of a group may begin to move at a moment. */
export type Timing =
  | { open: true; /** When that ends; null: not within a year. */ until: number | null }
  | {
      open: false
      why: 'window' | 'freeze'
      /** The freeze that holds it; of windows none is open. */
      span: Span | null
      /** The policy that says so. */
      policy: string | null
      /** When it may; null: not within a year. */
      opens: number | null
    }

type Calendar = Pick<Resolved, 'windows' | 'freezes'>

const SOON = 15 * 86_400_000
const YEAR = 366 * 86_400_000

/** Whether policies say anything about when. */
export const hasTimes = ({ windows = [], freezes = [] }: Partial<Calendar>): boolean =>
  windows.length > 0 || freezes.length > 0

/**
 * Where a moment stands: a freeze holds whatever windows say; without a freeze each policy's windows have to be open.
 * Looks one year ahead.
 */
export function timingAt(calendar: Partial<Calendar>, now: number): Timing {
  if (!hasTimes(calendar)) return { open: true, until: null }
  const soon = within(calendar, now, SOON)
  return (soon.open ? soon.until : soon.opens) === null ? within(calendar, now, YEAR) : soon
}

function within({ windows = [], freezes = [] }: Partial<Calendar>, now: number, ahead: number): Timing {
  const of = ({ value, policy }: Calendar['windows'][number]) => ({
    intervals: value.flatMap((span) => intervalsOf(span, now, now + ahead)),
    policy: policy?.name ?? null,
  })
  const [opening, closing] = [windows.map(of), freezes.map(of)]
  const frozenAt = (t: number) =>
    closing.flatMap(({ intervals, policy }) => intervals.filter((i) => covers(i, t)).map((i) => ({ ...i, policy })))
  const closedAt = (t: number) => opening.find(({ intervals }) => !intervals.some((i) => covers(i, t)))
  const isOpen = (t: number) => frozenAt(t).length === 0 && closedAt(t) === undefined
  const moments = [...opening, ...closing].flatMap(({ intervals }) => intervals.flatMap(({ from, to }) => [from, to]))
  const later = [...new Set(moments)].filter((t) => t > now && t < now + ahead).sort((a, b) => a - b)
  if (isOpen(now)) return { open: true, until: later.find((t) => !isOpen(t)) ?? null }
  const opens = later.find(isOpen) ?? null
  // The one that is over last is why.
  const frozen = frozenAt(now).sort((a, b) => b.to - a.to)[0]
  if (frozen) return { open: false, why: 'freeze', span: frozen.span, policy: frozen.policy, opens }
  return { open: false, why: 'window', span: null, policy: closedAt(now)!.policy, opens }
}

const covers = ({ from, to }: Interval, t: number): boolean => from <= t && t < to

/** The next times at which it is open, the one of now first. */
export function openings(
  calendar: Partial<Calendar>,
  now: number,
  most: number,
): { from: number; to: number | null }[] {
  const found: { from: number; to: number | null }[] = []
  let at: number | null = now
  while (at !== null && found.length < most) {
    const timing: Timing = timingAt(calendar, at)
    if (!timing.open) {
      at = timing.opens
      continue
    }
    found.push({ from: at, to: timing.until })
    at = timing.until
  }
  return found
}
