import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { log } from '@/lib/log'
import { stepWords } from '@/lib/domain/control-plane'
import { followProblem, hasTimes, opensAfter, timingAt, type Closing, type Timing as At } from '@/lib/domain/calendar'
import {
  neverWords,
  togetherUnderWords,
  underWords,
  utcAnd,
  type PolicySpec,
  type Resolved,
  type Span,
} from '@/lib/domain/policies'
import { placeOf, type Place } from '../waves/place'

/** Whether a change may begin or go on now, and what says so, as it is shown. */
export interface TimingDto {
  open: boolean
  /** Of what is closed. */
  why: 'window' | 'freeze' | 'wave' | 'shape' | 'hook' | 'paused' | 'stopped' | 'step' | null
  span: Span | null
  policy: string | null
  /** Who paused it, or why it stopped by itself, which no calendar ends. */
  paused: Paused | null
  stopped: Stopped | null
  /** It goes machine by machine, and waits for somebody to let the next one go. */
  step: Stepped | null
  /** Its wave, whether or not that is what it waits for; null: it has none. */
  wave: Waved | null
  /** Why its group is not as its policies say. */
  shape: Unshaped | null
  /** When it opens, or closes; null: not within a year, or never. */
  opens: string | null
  closes: string | null
  /** Time zone of whoever says so. */
  zone: string | null
  /** What closes it then. */
  closesBy: Closing | null
  /** When it has closed it does not open again within a year. */
  last?: true
  /** Of windows and freezes: which others are closed as well. */
  also: Closing[]
  /** Policies whose windows are never open at the same time. */
  apart: string[]
  /** Freezes without which its windows would open within a year; none of them holds now. */
  under?: Closing[]
  /** What it waits for when that is over which is said here. */
  besides: TimingDto[]
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

export interface Unshaped {
  /** In part of a sentence. */
  words: string
  /** It does not pass by itself. */
  stuck: boolean
  /** What to write; null: its words say so, or nobody knows. */
  advice: string | null
}

/** How many of its machines were dealt with, as approved. */
export interface Stepped {
  done: number
  of: number
  since: string
}

/** The wave of a change, in the policy that says so. */
export interface Waved {
  policy: { id: string; name: string }
  /** Null: it is not known yet, and is waited for. */
  place: Pick<
    Place,
    'name' | 'index' | 'of' | 'state' | 'why' | 'stoppedBy' | 'asksPerson' | 'asksThen' | 'needsPerson' | 'notYet'
  > | null
}

/** By its calendar; `last`: when it has closed it does not open again within a year. */
type Timing = At & { last?: true }

/** Whether a change may begin or go on: by its calendar, and unless somebody paused it, or it stopped by itself. */
export type ChangeTiming =
  | Timing
  | { open: false; why: 'paused'; paused: Paused; stopped: Stopped | null; step: Stepped | null; opens: null }
  | { open: false; why: 'stopped'; stopped: Stopped; step: Stepped | null; opens: null }
  | { open: false; why: 'step'; step: Stepped; opens: null }
  | { open: false; why: 'wave'; wave: Waved; opens: number | null }
  | { open: false; why: 'shape'; shape: Unshaped; opens: null }
  | { open: false; why: 'hook'; opens: null }

/** Of a change, what its timing goes by besides the policies. */
export type Timed = Pick<
  Change,
  | 'overrideAt'
  | 'pausedBy'
  | 'pausedReason'
  | 'pausedAt'
  | 'stoppedBy'
  | 'stoppedWhy'
  | 'stoppedAt'
  | 'wave'
  | 'stepWaitsAt'
  | 'stepsDone'
  | 'machines'
>
/** The columns of it. */
export const TIMED = {
  ...{ overrideAt: true, pausedBy: true, pausedReason: true, pausedAt: true },
  ...{ stoppedBy: true, stoppedWhy: true, stoppedAt: true, wave: true },
  ...{ stepWaitsAt: true, stepsDone: true, machines: true },
} as const
export const UNTIMED: Timed = {
  ...{ overrideAt: null, pausedBy: null, pausedReason: null, pausedAt: null },
  ...{ stoppedBy: null, stoppedWhy: null, stoppedAt: null, wave: null },
  ...{ stepWaitsAt: null, stepsDone: 0, machines: 0 },
}
/** Whatever its policies say, it does not move now. */
export const isHalted = ({
  pausedAt,
  stoppedAt,
  stepWaitsAt,
}: Pick<Timed, 'pausedAt' | 'stoppedAt' | 'stepWaitsAt'>): boolean =>
  pausedAt !== null || stoppedAt !== null || stepWaitsAt !== null

type Calendar = Partial<Pick<Resolved, 'windows' | 'freezes' | 'waves'>>

/**
 * Where a change stands at a moment: paused, stopped, or waiting between two machines whatever else holds, alone or with its
 * whole run; overridden it is open; else as its wave and its calendar say. `now`: by the database's clock, as all that is let go; `ahead`:
 * it is to come.
 */
export function timingOf(rules: Calendar, change: Timed, now: Date, ahead = false): ChangeTiming {
  const wave = wavedOf(rules, change.wave)
  const waits = (): ChangeTiming => ({
    ...{ open: false, why: 'wave', wave: wave! },
    opens: wave?.place?.opens ? Date.parse(wave.place.opens) : null,
  })
  const held = own(change)
  if (held) return held
  if (wave?.place?.state === 'stopped') return waits()
  if (change.overrideAt) return { open: true, until: null }
  return wave && wave.place?.state !== 'open' ? waits() : calendarAt(rules, now.getTime(), ahead)
}

/** In which wave it is, by its policy as that is written by now, is found in a moment. */
export const isUnplaced = (timing: ChangeTiming): boolean => !timing.open && timing.why === 'wave' && !timing.wave.place

/** The same of what is under way: what its wave is is found in a moment, and until then that holds it not; its windows and freezes do. */
export function timingUnderWay(rules: Calendar, change: Timed, now: Date): ChangeTiming {
  const timing = timingOf(rules, change, now)
  return isUnplaced(timing) ? timingOf({ ...rules, waves: null }, change, now) : timing
}

/** The wave of a change as pages show it. */
export function wavedDto(rules: Calendar, change: Pick<Timed, 'wave'>): Waved | null {
  const wave = wavedOf(rules, change.wave)
  return wave && shown(wave)
}

function shown({ policy, place: found }: Waved): Waved {
  if (!found) return { policy, place: null }
  const { name, index, of, state, why, stoppedBy, asksPerson, asksThen, needsPerson, notYet } = found
  const asks = {
    ...(stoppedBy ? { stoppedBy } : {}),
    ...(asksPerson ? { asksPerson } : {}),
    ...(asksThen ? { asksThen } : {}),
    ...(needsPerson ? { needsPerson } : {}),
    ...(notYet ? { notYet } : {}),
  }
  return { policy, place: { ...{ name, index, of, state, why }, ...asks } }
}

/** What the worker found of its wave by this very version of the policy; null: nothing says that there are waves. */
function wavedOf({ waves }: Calendar, found: Timed['wave']): (Waved & { place: Place | null }) | null {
  if (!waves?.policy) return null
  const { id, name, version } = waves.policy
  const place = placeOf(found)
  // A stop stays a stop, however the policy is written since.
  const holds = place?.policyId === id && (place.version === version || place.state === 'stopped')
  return { policy: { id, name }, place: holds ? place : null }
}

/** Calendars are asked about every few seconds, and by every list; what one says holds until it opens or closes. */
const known = new Map<string, { at: number; until: number; timing: Timing }>()
const MOST = 500
const KEPT_MS = 600_000

function calendarAt(rules: Calendar, now: number, ahead: boolean): Timing {
  if (!hasTimes(rules)) return { open: true, until: null }
  // What is to come takes no place from what is asked of now.
  const key = JSON.stringify([rules.windows, rules.freezes, ahead ? now : null])
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
    const timing = timingAt(rules, now)
    const last = timing.open && timing.until !== null && !opensAfter(rules, timing.until)
    return last ? { ...timing, last } : timing
  } catch (err) {
    log().error({ err }, 'windows and freezes of a policy cannot be followed; what they are for is held')
    return { open: false, ...unfollowed(rules), opens: null }
  }
}

/** Of whom something cannot be followed, and of a freeze why. */
function unfollowed({ windows = [], freezes = [] }: Calendar): Closing {
  for (const { policy, value } of freezes)
    for (const span of value) {
      const problem = followProblem(span)
      if (problem)
        return { why: 'freeze', span: { ...span, why: problem.replace(/\.$/, '') }, policy: policy?.name ?? null }
    }
  const [freeze] = windows.length > 0 ? [] : freezes
  if (freeze) return { why: 'freeze', span: freeze.value[0] ?? null, policy: freeze.policy?.name ?? null }
  const { policy } = windows.find(({ value }) => value.some((span) => followProblem(span))) ?? windows[0] ?? {}
  return { why: 'window', span: null, policy: policy?.name ?? null }
}

/** What holds a change by itself, whatever the calendar. */
function own({ pausedBy, pausedReason, pausedAt, ...rest }: Timed): ChangeTiming | null {
  const opens = null
  const [stopped, step] = [stoppedOf(rest), steppedOf(rest)]
  if (pausedAt) {
    const paused = { by: pausedBy ?? '', reason: pausedReason, at: pausedAt.toISOString() }
    return { open: false, why: 'paused', paused, stopped, step, opens }
  }
  if (stopped) return { open: false, why: 'stopped', stopped, step, opens }
  return step && { open: false, why: 'step', step, opens }
}

/** Between two of its machines; null: it waits for nobody there. */
export const steppedOf = ({
  stepWaitsAt,
  stepsDone,
  machines,
}: Pick<Timed, 'stepWaitsAt' | 'stepsDone' | 'machines'>): Stepped | null =>
  stepWaitsAt && { done: stepsDone, of: machines, since: stepWaitsAt.toISOString() }

/** Why a change stopped by itself; null: it did not, or somebody let it go on. */
export const stoppedOf = ({
  stoppedBy,
  stoppedWhy,
  stoppedAt,
}: Pick<Timed, 'stoppedBy' | 'stoppedWhy' | 'stoppedAt'>): Stopped | null =>
  stoppedAt && { policy: stoppedBy ?? '', why: stoppedWhy ?? '', at: stoppedAt.toISOString() }

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

const NOT_HALTED = { paused: null, stopped: null, step: null }

export function timingDto(
  timing: ChangeTiming,
  wave: Waved | null = null,
  besides: readonly ChangeTiming[] = [],
): TimingDto {
  const none: TimingDto = {
    ...{ open: timing.open, why: null, span: null, policy: null, shape: null, opens: null, closes: null, wave },
    ...{ zone: null, closesBy: null, also: [], apart: [], besides: besides.map((one) => timingDto(one, wave)) },
    ...NOT_HALTED,
  }
  if (timing.open) {
    const { until, by = null, zone = null, last } = timing
    return { ...none, closes: iso(until), closesBy: by, zone, ...(last ? { last } : {}) }
  }
  const { why, opens } = timing
  if (why === 'paused') return { ...none, why, paused: timing.paused, stopped: timing.stopped, step: timing.step }
  if (why === 'stopped') return { ...none, why, stopped: timing.stopped, step: timing.step }
  if (why === 'step') return { ...none, why, step: timing.step }
  if (why === 'shape') return { ...none, why, shape: timing.shape }
  if (why === 'hook') return { ...none, why }
  if (why === 'wave')
    return { ...none, why, policy: timing.wave.policy.name, opens: iso(opens), wave: shown(timing.wave) }
  const { span, policy, also = [], apart = [], under, zone = null } = timing
  return { ...none, why, span, policy, also, apart, ...(under ? { under } : {}), zone, opens: iso(opens) }
}

const TIMES = ['windows', 'freezes', 'waves'] as const
export const saysTimes = (spec: PolicySpec): boolean => TIMES.some((what) => spec[what] !== undefined)

/** Whether any policy has windows, freezes or waves, or anything is paused, stopped or between two machines: mostly not, and then nothing has to be looked at. */
export async function anyTimes(tx: Tx, clusterId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM rollout_policy WHERE jsonb_typeof(spec) <> 'object' OR spec ?| ${[...TIMES]} UNION ALL SELECT 1 FROM change WHERE cluster_id = ${clusterId}::uuid AND (paused_at IS NOT NULL OR stopped_at IS NOT NULL OR step_waits_at IS NOT NULL)
      AND state IN ('waiting', 'rejected', 'approved', 'running', 'stuck') LIMIT 1`
  return rows.length > 0
}

/** Why a change is paused until its group is held again, behind a name or what stands there instead of one. */
export const TOOK_BACK = 'took the approval back'
export const ITS_APPROVAL = 'its approval'
export const EXPIRED = 'expired before anything began'
export const SHOWED_FEWER = 'showed fewer nodes at once than go by now'
export const BY_STEPS = 'approved it machine by machine before its cluster was disconnected'
export const STEPS_OVER = 'approved it machine by machine before its date came'
export const STANDS_NO_MORE = 'does not stand for what moves by now'
export const NOBODY = 'nobody'
export const NEVER_APPROVED = 'approved what moves at its date'
const BEFORE_ITS_DATE = ' before its date came'
export const pausedBeforeDate = (reason: string | null): string =>
  `paused it${reason ? ` (${reason})` : ''}${BEFORE_ITS_DATE}`
const UNTIL_HELD = [TOOK_BACK, EXPIRED, SHOWED_FEWER, BY_STEPS, STANDS_NO_MORE, NEVER_APPROVED]
const isUntilHeld = (reason: string | null): boolean =>
  reason !== null && (UNTIL_HELD.includes(reason) || reason.endsWith(BEFORE_ITS_DATE))

const AT_HOOK = 'held until Cluster API gives it the version of its Cluster'

/** "frozen by the policy yearend (end of the year), until 2027-01-04 05:00 UTC", for people with kubectl and for refusals. */
export function closedWords(timing: ChangeTiming & { open: false }): string {
  if (timing.why === 'paused') {
    const { by, reason } = timing.paused
    if (isUntilHeld(reason)) return `${by} ${reason}`
    return `paused by ${by}${reason ? ` (${reason})` : ''}`
  }
  if (timing.why === 'stopped') {
    const { policy, why } = timing.stopped
    return policy ? `stopped by the policy ${policy}: ${why}` : `stopped: ${why}`
  }
  if (timing.why === 'step') return stepWords(timing.step)
  if (timing.why === 'wave') return waveWords(timing.wave)
  if (timing.why === 'shape') return `held until its group is as its policies say: ${timing.shape.words}`
  if (timing.why === 'hook') return AT_HOOK
  const { opens, also = [], apart = [], under, zone } = timing
  const frozen = also.filter(({ why }) => why === 'freeze')
  if (timing.why === 'window' && frozen.length > 0)
    return `${frozen.map(closingWords).join(', and ')}, and ${neverWords([timing, ...also], apart)}`
  if (apart.length > 0)
    return `outside the windows of the policies ${apart.join(' and ')}, which ${under ? togetherUnderWords(under) : 'are never open together'}`
  if (under) return `${[timing, ...also].map(closingWords).join(', and ')}, which ${underWords(under)}`
  const all = [timing, ...also]
  const [goes, at] = all.every(({ why }) => why === 'freeze') ? ['may go', ' at'] : ['opens', '']
  const when = opens === null ? `nothing says when it ${goes}` : `it ${goes}${at} ${utcAnd(opens, zone)}`
  return `${all.map(closingWords).join(', and ')}: ${when}`
}

const closingWords = ({ why, span, policy }: Closing): string =>
  why === 'window'
    ? `outside the windows of the policy ${policy}`
    : `frozen by the policy ${policy}${span?.why ? ` (${span.why})` : ''}`

/** "in wave 2 of 3 (few) of the policy prod, which waits: canary is not through: a/w (under way)" */
function waveWords({ policy, place }: Waved, lasting = false): string {
  if (!place) return `in the waves of the policy ${policy.name}, and which one is its own is not known yet`
  const which = `in wave ${place.index + 1} of ${place.of} (${place.name}) of the policy ${policy.name}`
  if (place.state === 'stopped') return lasting ? `${which}, whose waves are stopped` : `${which}; ${place.why}`
  return `${which}, which ${lasting ? 'is not open yet' : `waits: ${place.why}`}`
}

/** The same, without how the waves before it stand: that changes with each of their groups. Null: it is found, or goes, in a moment. */
export const lastingWords = (timing: ChangeTiming & { open: false }): string | null => {
  if (isUnplaced(timing) || (timing.why === 'shape' && !timing.shape.stuck)) return null
  return timing.why === 'wave' ? waveWords(timing.wave, true) : closedWords(timing)
}
