import { RRuleTemporal } from 'rrule-temporal'
import { near } from '../near'

/** Parts of a recurrence rule and what may stand in them. Times of day are those of the span's start. */
const PARTS: Record<string, RegExp> = {
  FREQ: /^(DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: /^[1-9]\d{0,2}$/,
  COUNT: /^[1-9]\d{0,3}$/,
  UNTIL: /^\d{8}T\d{6}$/,
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
  BYDAY: list('[+-]?([1-9]|[1-4]\\d|5[0-3])?(MO|TU|WE|TH|FR|SA|SU)'),
  BYMONTH: list('([1-9]|1[0-2])'),
  BYMONTHDAY: list('-?([1-9]|[12]\\d|3[01])'),
  BYYEARDAY: list('-?([1-9]|[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])'),
  BYWEEKNO: list('-?([1-9]|[1-4]\\d|5[0-3])'),
  BYSETPOS: list('-?([1-9]|[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])'),
}
const TIMES = ['BYHOUR', 'BYMINUTE', 'BYSECOND']

function list(entry: string): RegExp {
  return new RegExp(`^${entry}(,${entry}){0,40}$`)
}

/** Why a text is no recurrence rule that Drydock follows, in one sentence; null: it is. Nothing in it is passed over. */
export function recurrenceProblem(text: string): string | null {
  const seen = new Set<string>()
  for (const part of text.split(';')) {
    const [key = '', value = ''] = part.split('=')
    if (TIMES.includes(key)) return `${key} is not followed: the time of day is the one of the start.`
    const allowed = PARTS[key]
    if (/^RRULE:/i.test(key)) return 'Leave RRULE: out; a rule begins with FREQ: FREQ=WEEKLY;BYDAY=TU,TH.'
    if (!allowed) return unknown(key)
    if (part.split('=').length !== 2 || !allowed.test(value)) return `${key} cannot be “${value}”${HINTS[key] ?? ''}.`
    if (seen.has(key)) return `${key} stands there twice.`
    seen.add(key)
  }
  if (!seen.has('FREQ')) return 'It begins with FREQ: FREQ=WEEKLY;BYDAY=TU,TH.'
  if (seen.has('COUNT') && seen.has('UNTIL')) return 'COUNT and UNTIL exclude each other.'
  try {
    recurrence(text, '20260101T000000')
    return null
  } catch (error) {
    return `${(error as Error).message}.`
  }
}

function unknown(key: string): string {
  if (key === '') return 'There is an empty part in it: write one ; between two parts, and none at the end.'
  const meant = near(key, Object.keys(PARTS))
  return `It does not know ${key}${meant ? `: ${meant}?` : `; it knows ${Object.keys(PARTS).join(', ')}.`}`
}

const HINTS: Record<string, string> = {
  BYDAY: '; days are MO, TU, WE, TH, FR, SA and SU, with commas between them, as 2TU the second Tuesday',
  FREQ: '; it is DAILY, WEEKLY, MONTHLY or YEARLY',
  UNTIL: '; write it as local time, 20261231T220000',
}

const DAYS_OF_A_YEAR = ['BYYEARDAY', 'BYWEEKNO', 'BYMONTHDAY']

/**
 * Why rrule-temporal would follow a rule for a year otherwise than it says, in one sentence; null: it does not. It passes over parts
 * beside others, and in a week without a day takes one that depends on when it is asked.
 */
export function misread(text: string): string | null {
  const parts = new Map(text.split(';').map((part) => part.split('=') as [string, string]))
  if (parts.get('FREQ') !== 'YEARLY') return null
  const days = DAYS_OF_A_YEAR.filter((part) => parts.has(part))
  const both = (a: string, b: string) => `${a} and ${b} are not followed together in a year: leave one of them out.`
  if (days.length > 1) return both(days[0]!, days[1]!)
  if (parts.has('BYWEEKNO') && !parts.has('BYDAY'))
    return 'With BYWEEKNO, say on which days of the week: BYWEEKNO=20;BYDAY=TU.'
  if (parts.has('BYWEEKNO') && parts.has('BYSETPOS')) return both('BYWEEKNO', 'BYSETPOS')
  const [other] = days
  const numbered = /\d/.test(parts.get('BYDAY') ?? '')
  const clash = parts.has('BYDAY') && (other === 'BYYEARDAY' || (other === 'BYMONTHDAY' && numbered))
  return clash ? both(other!, numbered ? 'a BYDAY with a number' : 'BYDAY') : null
}

const MOST_KNOWN = 500
const known = new Map<string, RRuleTemporal>()

/**
 * A rule with its first day, as `20260101T220000`. It is followed on a clock without time zone, as if all of it were UTC:
 * what those local times are in the place is for whoever asks.
 */
export function recurrence(text: string, first: string): RRuleTemporal {
  const rruleString = `DTSTART;TZID=UTC:${first}\nRRULE:${text.replace(/UNTIL=(\w+)/, 'UNTIL=$1Z')}`
  let rule = known.get(rruleString)
  if (!rule) {
    if (known.size >= MOST_KNOWN) known.clear()
    rule = new RRuleTemporal({ rruleString, strict: true })
    known.set(rruleString, rule)
  }
  return rule
}
