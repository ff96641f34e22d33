import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { timingAt, type Timing } from '@/lib/domain/calendar'
import type { Resolved, Span } from '@/lib/domain/policies'

/** Whether a change may begin or go on now, and what says so, as it is shown. */
export interface TimingDto {
  open: boolean
  /** Of what is closed. */
  why: 'window' | 'freeze' | null
  span: Span | null
  policy: string | null
  /** When it opens, or closes; null: not within a year, or never. */
  opens: string | null
  closes: string | null
}

type Calendar = Partial<Pick<Resolved, 'windows' | 'freezes'>>

/** The calendar of a change at a moment; one that was overridden is open. */
export function timingOf(rules: Calendar, change: Pick<Change, 'overrideAt'>, now = Date.now()): Timing {
  return change.overrideAt ? { open: true, until: null } : timingAt(rules, now)
}

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

export function timingDto(timing: Timing): TimingDto {
  return timing.open
    ? { open: true, why: null, span: null, policy: null, opens: null, closes: iso(timing.until) }
    : {
        ...{ open: false, why: timing.why, span: timing.span, policy: timing.policy },
        ...{ opens: iso(timing.opens), closes: null },
      }
}

/** Whether any policy has windows or freezes: most fleets have none, and then nothing has to be looked at. */
export async function anyTimes(tx: Tx): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM rollout_policy WHERE jsonb_typeof(spec) <> 'object' OR spec ?| ARRAY['windows', 'freezes'] LIMIT 1`
  return rows.length > 0
}

/** "frozen by the policy yearend (end of the year), until 2027-01-04 05:00 UTC", for people with kubectl and for refusals. */
export function closedWords(timing: Timing & { open: false }): string {
  const { why, span, policy, opens } = timing
  const when = opens === null ? 'nothing says when it opens' : `it opens ${utc(opens)}`
  if (why === 'window') return `outside the windows of the policy ${policy}: ${when}`
  return `frozen by the policy ${policy}${span?.why ? ` (${span.why})` : ''}: ${when}`
}

const utc = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** The same for many changes: those under the same policies are looked at once. */
export function timings(): (rules: Calendar, change: Pick<Change, 'overrideAt'>) => Timing {
  const now = Date.now()
  const known = new Map<string, Timing>()
  return (rules, change) => {
    if (change.overrideAt) return timingOf(rules, change, now)
    const key = JSON.stringify([rules.windows, rules.freezes])
    let timing = known.get(key)
    if (!timing) known.set(key, (timing = timingAt(rules, now)))
    return timing
  }
}
