import { Temporal } from 'temporal-polyfill'
import { near } from '../near'
import type { Span } from '../policies'
import { misread, recurrence, recurrenceProblem } from './recurrence'

/** From its first moment to the one at which it is over. */
export interface Interval {
  from: number
  to: number
  span: Span
}

const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/
const LASTS = /^([1-9]\d{0,3})([mhd])$/
const UNITS: Record<string, 'minutes' | 'hours' | 'days'> = { m: 'minutes', h: 'hours', d: 'days' }
const LONGEST_DAYS = 31
const DAY = 86_400_000
const YEAR = 366 * DAY
const MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: DAY }

interface Problem {
  field: keyof Span
  message: string
}
const wrong = (field: keyof Span, message: string): Problem => ({ field, message })
const LOCAL_TIME = 'Write local time as 2026-11-24T22:00.'

/** What is wrong with the parts of a span, of each in one sentence. */
export function spanProblems(span: Span): Problem[] {
  const { timeZone, starts, repeats } = span
  const begins = [
    ...(isZone(timeZone) ? [] : [wrong('timeZone', noZone(timeZone))]),
    ...(isLocal(starts) ? [] : [wrong('starts', LOCAL_TIME)]),
  ]
  const length = lengthProblem(span, begins.length === 0)
  const rule = repeats === undefined ? null : recurrenceProblem(repeats)
  return [...begins, ...(length ? [length] : []), ...(rule === null ? [] : [wrong('repeats', rule)])]
}

/** `begins`: it is known when. */
function lengthProblem(span: Span, begins: boolean): Problem | null {
  const { ends, lasts, repeats } = span
  if (ends !== undefined && lasts !== undefined) return wrong('ends', 'Say when it ends or how long it lasts.')
  if (ends !== undefined) {
    if (!isLocal(ends)) return wrong('ends', LOCAL_TIME)
    if (repeats !== undefined) return wrong('ends', 'Of what repeats, say how long it lasts.')
    if (!begins) return null
    const { from, to } = once(span)
    return to > from ? null : wrong('ends', leaptWords(span, from) ?? 'It ends before it starts.')
  }
  if (lasts === undefined) return wrong('lasts', 'Say how long it lasts, as 30m, 4h or 2d, or when it ends.')
  const [, count, unit] = LASTS.exec(lasts) ?? []
  if (!unit) return wrong('lasts', 'Write a time as 30m, 4h or 2d.')
  return repeats !== undefined && Number(count) * MS[unit]! > LONGEST_DAYS * DAY
    ? wrong('lasts', `What repeats lasts at most ${LONGEST_DAYS} days.`)
    : null
}

/** It starts later than it says, where the clock is put forward over that time. */
function leaptWords({ starts, timeZone }: Span, from: number): string | null {
  const at = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone).toPlainDateTime()
  if (at.equals(starts)) return null
  const [date, time] = starts.split('T')
  return `${time} does not exist on ${date} in ${timeZone}, where the clock is put forward: it starts at ${at.toString().slice(11, 16)}, and has to end after that.`
}

/** Why a rule cannot be followed as it says, or without going around in circles, in one sentence. For what is written anew. */
export function followProblem({ starts, repeats }: Span): string | null {
  if (repeats === undefined) return null
  const problem = misread(repeats)
  if (problem) return problem
  const at = Date.parse(`${starts}Z`)
  try {
    for (const years of [0, 10, 50]) occurrences({ starts, repeats }, at + years * YEAR, at + (years + 1) * YEAR)
    return null
  } catch {
    return 'This rule does not come to an end when it is followed: write it more simply.'
  }
}

function isLocal(text: string): boolean {
  if (!LOCAL.test(text)) return false
  try {
    const { year } = Temporal.PlainDateTime.from(text, { overflow: 'reject' })
    return year >= 2000 && year < 2200
  } catch {
    return false
  }
}

function noZone(name: string): string {
  const zones = Intl.supportedValuesOf('timeZone')
  const meant = zones.find((zone) => zone.split('/').at(-1)!.toLowerCase() === name.toLowerCase()) ?? near(name, zones)
  return `There is no such time zone${meant ? `: ${meant}?` : '; they are named as Europe/Berlin.'}`
}

function isZone(name: string): boolean {
  // Offsets have no summer.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
}

/**
 * A local time that the clock leaps over in spring is as much later. Of one that it has twice in autumn, a start is the
 * first and an end the second.
 */
function intervalAt(start: Temporal.PlainDateTime, span: Span): Interval {
  const from = start.toZonedDateTime(span.timeZone, { disambiguation: 'compatible' })
  const [, count, unit] = LASTS.exec(span.lasts ?? '') ?? []
  const to =
    span.ends !== undefined
      ? Temporal.PlainDateTime.from(span.ends).toZonedDateTime(span.timeZone, { disambiguation: 'later' })
      : from.add({ [UNITS[unit!]!]: Number(count) })
  return { from: from.epochMilliseconds, to: to.epochMilliseconds, span }
}

const once = (span: Span): Interval => intervalAt(Temporal.PlainDateTime.from(span.starts), span)

/** The intervals of a span that overlap a time, in their order. Milliseconds since 1970. */
export function intervalsOf(span: Span, from: number, until: number): Interval[] {
  const overlaps = (one: Interval) => one.to > from && one.from < until
  if (span.repeats === undefined) return [once(span)].filter(overlaps)
  const [, count, unit] = LASTS.exec(span.lasts!)!
  // One that began before may reach into it; no place is more than a day from UTC. And weeks of a year are counted from the year in which
  // one asks: up to three days of its last week lie in the next one.
  const back = Number(count) * MS[unit!]! + 9 * DAY
  return occurrences({ ...span, repeats: span.repeats }, from - back, until + 2 * DAY)
    .map((at) => intervalAt(Temporal.PlainDateTime.from(at.toString().slice(0, 19)), span))
    .filter(overlaps)
}

/** When a rule begins anew, on a clock without time zone that is read as UTC. */
function occurrences({ starts, repeats }: Pick<Span, 'starts'> & { repeats: string }, from: number, until: number) {
  // One that was stored before that was known is closed: it would open on days that it does not name.
  const wrong = misread(repeats)
  if (wrong) throw new Error(wrong)
  return recurrence(repeats, `${starts.replace(/[-:]/g, '')}00`).between(new Date(from), new Date(until), true)
}
