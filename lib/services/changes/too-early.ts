import { durationOf, tooEarly, type Resolved, type TooEarly } from '@/lib/domain/policies'
import type { TimingDto } from '../policies/timing'

/**
 * Whether approvals that end at a moment are over before the change may go, by all that holds it: what is approved then would never
 * go by itself. Null: they last, or nobody knows.
 */
export function earlyOf(
  { expiresAfter }: Pick<Resolved, 'expiresAfter'>,
  timing: TimingDto,
  ends: Date | null,
  now: number,
): TooEarly | null {
  if (timing.open || ends === null) return null
  const all = [timing, ...timing.besides]
  const isCalendar = ({ why }: TimingDto) => why === 'window' || why === 'freeze'
  const never = all.some((one) => isCalendar(one) && one.opens === null)
  const opens = all.flatMap((one) => (one.opens === null ? [] : { at: Date.parse(one.opens), zone: one.zone }))
  // A wave, or a person, says nothing of when.
  if (!never && opens.length === 0) return null
  const last = never ? null : opens.reduce((a, b) => (b.at > a.at ? b : a))
  const found = tooEarly(ends.getTime(), { may: last?.at ?? null, lasts: durationOf(expiresAfter.value), now })
  return found && { ...found, zone: last?.zone ?? null, policy: expiresAfter.policy?.name ?? null }
}

/** The same, of what is approved now. */
export function earlyNow(rules: Pick<Resolved, 'expiresAfter'>, timing: TimingDto, now: number): TooEarly | null {
  const lasts = durationOf(rules.expiresAfter.value)
  return lasts === null ? null : earlyOf(rules, timing, new Date(now + lasts), now)
}
