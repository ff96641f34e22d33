import type { SkewMode } from './types'
import type { Judgement } from './verdict'

/** After a pass the operator reports for a second or two what is no longer, or not yet, true; its status settles after that. */
export const SETTLE_MS = 5_000

export interface Settling {
  /** What the judgement rests on: a change of it starts the clock anew. */
  signature: string
  since: number
  /** What was last told, and in which mode. */
  told: Judgement | null
  mode: SkewMode | null
}

export interface Settled {
  judgement: Judgement
  next: Settling
  /** Look again after this many ms, since nothing else may happen. */
  again: number | null
}

/** A verdict that closes updates, or the operator's word beside one that does not say so. */
const isAlarm = ({ verdict, blocks }: Judgement): boolean =>
  verdict === 'out-of-skew' || verdict === 'update-failing' || (verdict === 'unknown' && blocks !== null)

/**
 * In Automatic mode an alarm is told once it stood still for some seconds, and taken back once something else did. It stands while the
 * operator works through another pass, whose first act is to clear its own conditions: just before and just after it they say what is
 * fine, or nothing yet of a failure. Manual and None do not flicker.
 */
export function settle(
  before: Settling | null,
  judgement: Judgement,
  mode: SkewMode | null,
  signature: string,
  now: number,
): Settled {
  const since = before?.signature === signature ? before.since : now
  // An alarm of another mode is about another record.
  const told = before?.mode === mode ? before.told : null
  const say = (what: Judgement, again: number | null): Settled => ({
    judgement: what,
    next: { signature, since, told: what, mode },
    again,
  })
  if (mode !== 'Automatic') return say(judgement, null)
  const alarmed = told && isAlarm(told) ? told : null
  if (judgement.verdict === 'evaluating' && alarmed) return say(alarmed, null)
  const alarms = isAlarm(judgement)
  if (alarms === (alarmed !== null) && (!alarms || told?.verdict === judgement.verdict)) return say(judgement, null)
  const left = since + SETTLE_MS - now
  if (left <= 0) return say(judgement, null)
  if (alarmed) return say(alarmed, left)
  const waiting: Judgement = {
    verdict: 'evaluating',
    sentence: 'The operator has just gone through the machine sets; its record is being waited for.',
    blocks: null,
  }
  return say(waiting, left)
}
