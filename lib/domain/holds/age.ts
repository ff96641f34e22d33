const HOUR = 3_600_000

/** "40 minutes", "26 hours", "9 days": in whole units, never rounded up. */
export function ageWords(ms: number): string {
  const [n, unit] =
    ms < 2 * HOUR
      ? [Math.floor(ms / 60_000), 'minute']
      : ms < 48 * HOUR
        ? [Math.floor(ms / HOUR), 'hour']
        : [Math.floor(ms / (24 * HOUR)), 'day']
  return `${n} ${unit}${n === 1 ? '' : 's'}`
}

/**
 * What an age is of, in front of "for 9 days". A pool tells since when it is paused, and what waits for its nodes may be younger: until
 * that came they were up to date.
 */
export const agedWords = (kind: string, unpaused = false): string =>
  kind === 'MachineConfigPool' ? 'Its pool has been paused' : unpaused ? 'It has waited' : 'It has stood still'

/**
 * Behind that age. A pool tells the newest write of whoever paused it alone: what Drydock did not see paused may have been so for longer,
 * as its own page says it.
 */
export const orLonger = (change: { groupKind: string; heldBy: string; firstSeen: boolean }): string =>
  change.groupKind === 'MachineConfigPool' && (change.heldBy === 'person' || change.firstSeen) ? ' or longer' : ''
