import type { Resolved, Span } from '../policies'
import { intervalsOf } from './spans'

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
      if (next[1] < now + ahead || ahead === AHEAD.at(-1))
        return { open: true, until: next[1] < now + ahead ? next[1] : null }
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

function closedAt({ windows = [], freezes = [] }: Partial<Calendar>, now: number, opens: number | null): Timing {
  const frozen = freezes.flatMap(({ value, policy }) =>
    value.flatMap((span) => intervalsOf(span, now, now + 1).map((i) => ({ ...i, policy: policy?.name ?? null }))),
  )
  // The one that is over last is why.
  const [last] = frozen.sort((a, b) => b.to - a.to)
  if (last) return { open: false, why: 'freeze', span: last.span, policy: last.policy, opens }
  const shut = windows.find(({ value }) => !value.some((span) => intervalsOf(span, now, now + 1).length > 0))
  return { open: false, why: 'window', span: null, policy: shut?.policy?.name ?? null, opens }
}

/** The times between two moments at which it is open, in their order, none of them touching the next. */
function openTimes({ windows = [], freezes = [] }: Partial<Calendar>, from: number, until: number): Time[] {
  const of = (spans: readonly Span[]) =>
    union(
      spans.flatMap((span) =>
        intervalsOf(span, from, until).map((i): Time => [Math.max(i.from, from), Math.min(i.to, until)]),
      ),
    )
  const open = windows.reduce<Time[]>((all, { value }) => intersection(all, of(value)), [[from, until]])
  return difference(open, of(freezes.flatMap(({ value }) => value)))
}

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
