import type { Span, Told } from './types'

const DAYS: Record<string, string> = {
  ...{ MO: 'Mon', TU: 'Tue', WE: 'Wed', TH: 'Thu', FR: 'Fri', SA: 'Sat', SU: 'Sun' },
}

/**
 * "Tue, Thu 22:00 for 4h, Europe/Berlin": a span in few words; a rule that is not one of the usual ones stands as it is. The first
 * day of what repeats is said where that is to come after a moment.
 */
export function spanWords({ starts, ends, lasts, repeats, timeZone, why }: Span, after = Date.now()): string {
  const [date = '', time = ''] = starts.split('T')
  const because = why ? ` (${why})` : ''
  if (ends) return `${date} ${time} to ${ends.replace('T', ' ')}, ${timeZone}${because}`
  if (!repeats) return `${date} ${time} for ${lasts}, ${timeZone}${because}`
  const again = repeated(repeats)
  const from = again && Date.parse(`${date}T00:00Z`) <= after ? '' : `, from ${date} on`
  return `${again ?? `by ${repeats},`} ${time} for ${lasts}, ${timeZone}${from}${because}`
}

function repeated(rule: string): string | null {
  if (rule === 'FREQ=DAILY') return 'every day'
  const [, days] = /^FREQ=WEEKLY;BYDAY=([A-Z,]+)$/.exec(rule) ?? []
  return days
    ? days
        .split(',')
        .map((day) => DAYS[day] ?? day)
        .join(', ')
    : null
}

/** The windows, or freezes, of several policies as one value; empty: none. */
export const spansWords = (all: readonly Told<readonly Span[]>[], and: string): string =>
  all.map(({ value }) => value.map((span) => spanWords(span)).join('; ')).join(` ${and} `)

/** "2026-11-24 21:00 UTC" */
export const utc = (at: number | string): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** "2026-11-24 21:00 UTC (22:00 in Europe/Berlin)": with the date where that is another one there, and which of two in autumn. */
export function utcAnd(at: number | string, timeZone: string | null | undefined): string {
  if (!timeZone || timeZone === 'UTC') return utc(at)
  const moment = new Date(at).getTime()
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  const local = clock.format(moment)
  const twice = [-60, -30, 30, 60].some((minutes) => clock.format(moment + minutes * 60_000) === local)
  const [date, time] = local.split(' ')
  const universal = utc(at)
  return `${universal} (${universal.startsWith(date!) ? '' : `${date} `}${time}${twice ? ` ${offset(moment, timeZone)}` : ''} in ${timeZone})`
}

/** "UTC+2" */
function offset(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(at)
  return parts.find(({ type }) => type === 'timeZoneName')!.value.replace('GMT', 'UTC')
}
