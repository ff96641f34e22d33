import type { Draw, Forecast, Work } from './types'

/** Milliseconds that each kind of work took, as measured. */
export type Durations = Record<Work, readonly number[]>

export interface Estimate {
  /** Milliseconds: half of the rollouts end by p50, nine of ten by p90. */
  p50: number
  p90: number
}

/** Enough for a p90; of a long rollout one is enough, because the sum of so many hardly varies. */
const RUNS = 40
const MOVES = 5_000

/** How long a rollout takes, from playing it with durations drawn from those measured. Null: it does not end by itself. */
export function estimate(play: (draw: Draw) => Forecast, durations: Durations, seed = 1): Estimate | null {
  const random = generator(seed)
  const ends: number[] = []
  for (let moves = 0; ends.length < RUNS && moves < MOVES;) {
    const forecast = play((work) => drawn(durations[work], random()))
    if (forecast.ends === null) return null
    moves += forecast.moves.length
    ends.push(forecast.ends)
  }
  ends.sort((a, b) => a - b)
  return { p50: quantile(ends, 0.5), p90: quantile(ends, 0.9) }
}

export const medians =
  (durations: Durations): Draw =>
  (work) =>
    quantile(
      [...durations[work]].sort((a, b) => a - b),
      0.5,
    )

const drawn = (values: readonly number[], random: number): number =>
  values[Math.min(values.length - 1, Math.floor(random * values.length))] ?? 0

/** Of sorted values, without interpolation. */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? 0
}

/** The same numbers for the same seed: two looks at one page must not disagree (Park and Miller's). */
function generator(seed: number): () => number {
  let at = seed
  return () => (at = (at * 48_271) % 2_147_483_647) / 2_147_483_647
}
