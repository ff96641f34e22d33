import type { Resolved } from '@/lib/domain/policies'
import { timingToGo, unshapedOf, type Shaped } from './shape'
import { isHalted, timingDto, timingOf, wavedDto, type ChangeTiming, type TimingDto } from './timing'

type Closed = ChangeTiming & { open: false }

/** Where a change stands in its times, with everything that holds it and not only what is said first. `begins`: nothing of it has begun. */
export function shownTiming(rules: Resolved, change: Shaped, begins: boolean, now: Date): TimingDto {
  const timing = begins ? timingToGo(rules, change, now) : timingOf(rules, change, now)
  const besides = timing.open ? [] : besidesOf(rules, change, timing, begins, now)
  return timingDto(timing, wavedDto(rules, change), besides)
}

/** What it waits for when that is over which holds it first. */
function besidesOf(rules: Resolved, change: Shaped, first: Closed, begins: boolean, now: Date): ChangeTiming[] {
  const freed = { ...change, pausedAt: null, stoppedAt: null, stepWaitsAt: null }
  const next = isHalted(change) ? timingOf(rules, freed, now) : first
  // Where its wave opens at a known time, what the calendar says of now is of no use.
  const from = !next.open && next.why === 'wave' ? new Date(Math.max(now.getTime(), next.opens ?? 0)) : null
  const calendar = from && timingOf({ ...rules, waves: null }, freed, from, from > now)
  const shape = begins && first.why !== 'shape' ? unshapedOf(rules, change) : null
  return [
    ...(next !== first && !next.open ? [next] : []),
    ...(calendar && !calendar.open ? [calendar] : []),
    // What is about to be written is no news.
    ...(shape?.shape.stuck ? [shape] : []),
  ]
}
