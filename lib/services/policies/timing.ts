import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { log } from '@/lib/log'
import { hasTimes, timingAt, type Timing } from '@/lib/domain/calendar'
import { utc, type Resolved, type Span } from '@/lib/domain/policies'

/** Whether a change may begin or go on now, and what says so, as it is shown. */
export interface TimingDto {
  open: boolean
  /** Of what is closed. */
  why: 'window' | 'freeze' | 'paused' | 'stopped' | null
  span: Span | null
  policy: string | null
  /** Who paused it, or why it stopped by itself, which no calendar ends. */
  paused: Paused | null
  stopped: Stopped | null
  /** When it opens, or closes; null: not within a year, or never. */
  opens: string | null
  closes: string | null
}

export interface Paused {
  by: string
  reason: string | null
  at: string
}

export interface Stopped {
  /** Name of the policy. */
  policy: string
  why: string
  at: string
}

/** Whether a change may begin or go on: by its calendar, and unless somebody paused it, or it stopped by itself. */
export type ChangeTiming =
  | Timing
  | { open: false; why: 'paused'; paused: Paused; stopped: Stopped | null; opens: null }
  | { open: false; why: 'stopped'; stopped: Stopped; opens: null }

/** Of a change, what its timing goes by besides the policies. */
export type Timed = Pick<
  Change,
  'overrideAt' | 'pausedBy' | 'pausedReason' | 'pausedAt' | 'stoppedBy' | 'stoppedWhy' | 'stoppedAt'
>
/** The columns of it. */
export const TIMED = {
  ...{ overrideAt: true, pausedBy: true, pausedReason: true, pausedAt: true },
  ...{ stoppedBy: true, stoppedWhy: true, stoppedAt: true },
} as const
export const UNTIMED: Timed = {
  ...{ overrideAt: null, pausedBy: null, pausedReason: null, pausedAt: null },
  ...{ stoppedBy: null, stoppedWhy: null, stoppedAt: null },
}
/** Whatever its policies say, it does not move now. */
export const isHalted = ({ pausedAt, stoppedAt }: Pick<Timed, 'pausedAt' | 'stoppedAt'>): boolean =>
  pausedAt !== null || stoppedAt !== null

type Calendar = Partial<Pick<Resolved, 'windows' | 'freezes'>>

/** Where a change stands at a moment: paused or stopped whatever else holds; overridden it is open; else as its calendar says. */
export const timingOf = (rules: Calendar, change: Timed, now = Date.now()): ChangeTiming =>
  own(change) ?? calendarAt(rules, now)

/** Calendars are asked about every few seconds, and by every list; what one says holds until it opens or closes. */
const known = new Map<string, { at: number; until: number; timing: Timing }>()
const MOST = 500
const KEPT_MS = 600_000

function calendarAt(rules: Calendar, now: number): Timing {
  if (!hasTimes(rules)) return { open: true, until: null }
  const key = JSON.stringify([rules.windows, rules.freezes])
  const kept = known.get(key)
  if (kept && kept.at <= now && now < kept.until) return kept.timing
  const timing = followed(rules, now)
  const ends = timing.open ? timing.until : timing.opens
  if (known.size >= MOST) known.clear()
  known.set(key, { at: now, until: Math.min(now + KEPT_MS, ends ?? Infinity), timing })
  return timing
}

/** What cannot be followed is closed. */
function followed(rules: Calendar, now: number): Timing {
  try {
    return timingAt(rules, now)
  } catch (err) {
    log().error({ err }, 'windows and freezes of a policy cannot be followed; what they are for is held')
    const policy = rules.windows?.[0]?.policy?.name ?? rules.freezes?.[0]?.policy?.name ?? null
    return { open: false, why: 'window', span: null, policy, opens: null }
  }
}

/** What a change says of itself, whatever the calendar. */
function own({ overrideAt, pausedBy, pausedReason, pausedAt, ...rest }: Timed): ChangeTiming | null {
  const opens = null
  const stopped = stoppedOf(rest)
  if (pausedAt) {
    const paused = { by: pausedBy ?? '', reason: pausedReason, at: pausedAt.toISOString() }
    return { open: false, why: 'paused', paused, stopped, opens }
  }
  if (stopped) return { open: false, why: 'stopped', stopped, opens }
  return overrideAt ? { open: true, until: null } : null
}

/** Why a change stopped by itself; null: it did not, or somebody let it go on. */
export const stoppedOf = ({
  stoppedBy,
  stoppedWhy,
  stoppedAt,
}: Pick<Timed, 'stoppedBy' | 'stoppedWhy' | 'stoppedAt'>): Stopped | null =>
  stoppedAt && { policy: stoppedBy ?? '', why: stoppedWhy ?? '', at: stoppedAt.toISOString() }

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

const NOT_HALTED = { paused: null, stopped: null }

export function timingDto(timing: ChangeTiming): TimingDto {
  const none = { open: timing.open, why: null, span: null, policy: null, opens: null, closes: null, ...NOT_HALTED }
  if (timing.open) return { ...none, closes: iso(timing.until) }
  const { why, opens } = timing
  if (why === 'paused') return { ...none, why, paused: timing.paused, stopped: timing.stopped }
  if (why === 'stopped') return { ...none, why, stopped: timing.stopped }
  return { ...none, why, span: timing.span, policy: timing.policy, opens: iso(opens) }
}

/** Whether any policy has windows or freezes, or anything is paused or stopped: mostly not, and then nothing has to be looked at. */
export async function anyTimes(tx: Tx, clusterId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM rollout_policy WHERE jsonb_typeof(spec) <> 'object' OR spec ?| ARRAY['windows', 'freezes']
    UNION ALL SELECT 1 FROM change WHERE cluster_id = ${clusterId}::uuid AND (paused_at IS NOT NULL OR stopped_at IS NOT NULL)
      AND state IN ('waiting', 'rejected', 'approved', 'running', 'stuck') LIMIT 1`
  return rows.length > 0
}

/** "frozen by the policy yearend (end of the year), until 2027-01-04 05:00 UTC", for people with kubectl and for refusals. */
export function closedWords(timing: ChangeTiming & { open: false }): string {
  if (timing.why === 'paused') {
    const { by, reason } = timing.paused
    return `paused by ${by}${reason ? ` (${reason})` : ''}`
  }
  if (timing.why === 'stopped') return `stopped by the policy ${timing.stopped.policy}: ${timing.stopped.why}`
  const { why, span, policy, opens } = timing
  const when = opens === null ? 'nothing says when it opens' : `it opens ${utc(opens)}`
  if (why === 'window') return `outside the windows of the policy ${policy}: ${when}`
  return `frozen by the policy ${policy}${span?.why ? ` (${span.why})` : ''}: ${when}`
}
