import type { IntOrPercent, RolloutStrategy } from './types'

/** Rounded up for surge, down for unavailability, as the API defines it. */
export function scaled(value: IntOrPercent, of: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return Math.max(0, value)
  const match = /^(\d+)%$/.exec(value)
  if (!match) throw new Error(`"${value}" is neither a number nor a percentage like "25%"`)
  // Integers throughout: 0.28 * 100 is not 28.
  const hundredfold = Number(match[1]) * of
  return round === 'up' ? Math.ceil(hundredfold / 100) : Math.floor(hundredfold / 100)
}

export interface Fenceposts {
  surge: number
  unavailable: number
}

/** How many machines may be above, and how many below the wanted number. Never both zero: nothing could move. */
export function fenceposts(strategy: RolloutStrategy, replicas: number): Fenceposts {
  if (strategy.type === 'OnDelete') return { surge: 0, unavailable: 0 }
  const surge = scaled(strategy.maxSurge ?? 1, replicas, 'up')
  let unavailable = scaled(strategy.maxUnavailable ?? 0, replicas, 'down')
  if (surge === 0 && unavailable === 0) unavailable = 1
  return { surge, unavailable: Math.min(unavailable, Math.max(replicas, 0)) }
}
