import type { Resolved, Span } from '../policies'
import { intervalsOf } from './spans'

/** Whether machines of a group may begin to move at a moment. */
export type Timing =
  | {
      open: true
      /** When that ends; null: not within a year. */
      until: number | null
      /** What ends it then. */
      by?: Closing
      /** The time zone of whoever says so. */
      zone?: string
    }
  | ({
      open: false
      /** When it may; null: not within a year. */
      opens: number | null
      /** What holds it besides; a freeze besides windows: what is left of them is never open outside a freeze. */
      also?: Closing[]
      /** Policies whose windows are not open at the same time within a year, although each has some; while a freeze holds: outside freezes. */
      apart?: string[]
      /** No freeze holds, and it would open within a year without these, which hold whenever it does. */
      under?: Closing[]
      zone?: string
    } & Closing)

export interface Closing {
  why: 'window' | 'freeze'
  /** The freeze that holds it; of windows none is open. */
  span: Span | null
  /** The policy that says so. */
  policy: string | null
}

type Calendar = Pick<Resolved, 'windows' | 'freezes'>
/** From its first moment to the one at which it is over. */
type Time = readonly [from: number, to: number]

const DAY = 86_400_000
/** Most find what they look for in the first step. */
const AHEAD = [15 * DAY, 60 * DAY, 366 * DAY]

/** Whether policies say anything about when. */
export const hasTimes = ({ windows = [], freezes = [] }: Partial<Calendar>): boolean =>
  windows.length > 0 || freezes.length > 0

/**
 * Where a moment stands: a freeze holds whatever windows say; without a freeze each policy's windows have to be open.
 * Looks one year ahead.
 */
export function timingAt(calendar: Partial<Calendar>, now: number): Timing {
  if (!hasTimes(calendar)) return { open: true, until: null }
  for (const ahead of AHEAD) {
    const [next] = openTimes(calendar, now, now + ahead)
    if (next && next[0] <= now) {
      if (next[1] < now + ahead) return openUntil(calendar, next[1])
      if (ahead === AHEAD.at(-1)) return { open: true, until: null }
    } else if (next || ahead === AHEAD.at(-1)) return closedAt(calendar, now, next?.[0] ?? null)
  }
  throw new Error('unreachable: the last step always answers')
}

/** The next times at which it is open, the one of now first; to null: not over within a year. */
export function openings(
  calendar: Partial<Calendar>,
  now: number,
  most: number,
): { from: number; to: number | null }[] {
  for (const ahead of AHEAD) {
    const times = openTimes(calendar, now, now + ahead)
    // The last one may go on behind what was looked at.
    if (times.length > most || ahead === AHEAD.at(-1))
      return times.slice(0, most).map(([from, to]) => ({ from, to: to < now + ahead ? to : null }))
  }
  return []
}

/** Within a year, the times until it opens, the one of now first, if it is shut. */
export function shutTimes(calendar: Partial<Calendar>, now: number): { from: number; to: number }[] {
  const times = openTimes(calendar, now, now + AHEAD.at(-1)!)
  return times.flatMap(([to], i) => (to > now ? [{ from: times[i - 1]?.[1] ?? now, to }] : []))
}

function openUntil(calendar: Partial<Calendar>, until: number): Timing {
  const [by] = holdingAt(calendar, until)
  return { open: true, until, ...(by ? { by } : {}), ...zoneOf(calendar, until) }
}

/** Whether it opens within a year of a moment. */
export const opensAfter = (calendar: Partial<Calendar>, moment: number): boolean =>
  AHEAD.some((ahead) => openTimes(calendar, moment, moment + ahead).length > 0)

interface Never {
  never: Closing[]
  apart: string[]
}
const OPENS: Never = { never: [], apart: [] }

function closedAt(calendar: Partial<Calendar>, now: number, opens: number | null): Timing {
  const held = holdingAt(calendar, now)
  const frozen = held[0]?.why === 'freeze'
  const under = opens !== null || frozen ? [] : underIn(calendar, now)
  const { never, apart } =
    opens !== null
      ? OPENS
      : frozen || under.length > 0
        ? neverIn(calendar, now)
        : { never: [], apart: apartIn(calendar, now) }
  const [first, ...also] = never.length > 0 ? [...never, ...held.filter(({ why }) => why === 'freeze')] : held
  const closing = first ?? { why: 'window', span: null, policy: null }
  return {
    ...{ open: false, ...closing, opens },
    ...(also.length > 0 ? { also } : {}),
    ...(apart.length > 0 ? { apart } : {}),
    ...(under.length > 0 ? { under } : {}),
    ...(opens === null ? {} : zoneOf(calendar, opens)),
  }
}

/** All that holds at a moment: of each policy one freeze, the one that is over last first; then windows that are not open. */
function holdingAt({ windows = [], freezes = [] }: Partial<Calendar>, now: number): Closing[] {
  const frozen = freezes.flatMap(({ value, policy }) => {
    const [last] = value.flatMap((span) => intervalsOf(span, now, now + 1)).sort((a, b) => b.to - a.to)
    return last ? [{ ...last, policy: policy?.name ?? null }] : []
  })
  const shut = windows.filter(({ value }) => !value.some((span) => intervalsOf(span, now, now + 1).length > 0))
  return [
    ...frozen.sort((a, b) => b.to - a.to).map(({ span, policy }): Closing => ({ why: 'freeze', span, policy })),
    ...shut.map(({ policy }): Closing => ({ why: 'window', span: null, policy: policy?.name ?? null })),
  ]
}

/** Of what never opens outside freezes: those that hold when windows are open, of each policy one. */
function underIn({ windows = [], freezes = [] }: Partial<Calendar>, now: number): Closing[] {
  const until = now + AHEAD.at(-1)!
  const times = openTimes({ windows }, now, until)
  if (times.length === 0) return []
  return freezes.flatMap(({ value, policy }): Closing[] => {
    const span = value.find((one) => intersection(times, timesOf([one], now, until)).length > 0)
    return span ? [{ why: 'freeze', span, policy: policy?.name ?? null }] : []
  })
}

/** Under freezes: windows of which none is left when it is over, which its end therefore does not open. */
function neverIn({ windows = [], freezes = [] }: Partial<Calendar>, now: number): Never {
  const until = now + AHEAD.at(-1)!
  if (openTimes({ freezes }, now, until).length === 0 && opensAfter({ windows }, until)) return OPENS
  const alone = windows.filter((one) => openTimes({ windows: [one], freezes }, now, until).length === 0)
  const all = alone.length > 0 ? alone : windows
  const never = all.map(({ policy }): Closing => ({ why: 'window', span: null, policy: policy?.name ?? null }))
  return { never, apart: alone.length > 0 ? [] : namesOf(windows) }
}

/** Whose windows never meet, where nothing else keeps them from it. */
function apartIn({ windows = [] }: Partial<Calendar>, now: number): string[] {
  const until = now + AHEAD.at(-1)!
  const meet = openTimes({ windows }, now, until).length > 0
  if (windows.length < 2 || meet || windows.some((one) => openTimes({ windows: [one] }, now, until).length === 0))
    return []
  return namesOf(windows)
}

const namesOf = (windows: Calendar['windows']): string[] => windows.flatMap(({ policy }) => policy?.name ?? [])

/** The zone in which the one is written that begins or ends at a moment. */
function zoneOf({ windows = [], freezes = [] }: Partial<Calendar>, at: number): { zone?: string } {
  const spans = [...windows, ...freezes].flatMap(({ value }) => value)
  const turns = (span: Span) => intervalsOf(span, at - 1, at + 1).some(({ from, to }) => from === at || to === at)
  const zone = spans.find(turns)?.timeZone
  return zone ? { zone } : {}
}

/** The times between two moments at which it is open, in their order, none of them touching the next. */
function openTimes({ windows = [], freezes = [] }: Partial<Calendar>, from: number, until: number): Time[] {
  const of = (spans: readonly Span[]) => timesOf(spans, from, until)
  const open = windows.reduce<Time[]>((all, { value }) => intersection(all, of(value)), [[from, until]])
  return difference(open, of(freezes.flatMap(({ value }) => value)))
}

const timesOf = (spans: readonly Span[], from: number, until: number): Time[] =>
  union(
    spans.flatMap((span) =>
      intervalsOf(span, from, until).map((i): Time => [Math.max(i.from, from), Math.min(i.to, until)]),
    ),
  )

function union(times: Time[]): Time[] {
  const merged: [number, number][] = []
  for (const [from, to] of times.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

function intersection(a: readonly Time[], b: readonly Time[]): Time[] {
  const both: Time[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [from, to] = [Math.max(a[i]![0], b[j]![0]), Math.min(a[i]![1], b[j]![1])]
    if (from < to) both.push([from, to])
    if (a[i]![1] < b[j]![1]) i++
    else j++
  }
  return both
}

/** What is left of the first without the second. */
function difference(a: readonly Time[], b: readonly Time[]): Time[] {
  const edges = [-Infinity, ...b.flat(), Infinity]
  const rest: Time[] = []
  for (let i = 0; i < edges.length; i += 2) rest.push([edges[i]!, edges[i + 1]!])
  return intersection(a, rest)
}
