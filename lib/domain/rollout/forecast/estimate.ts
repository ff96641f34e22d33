import type { Draw, Forecast, Gap, Work } from './types'

/** Milliseconds that each kind of work took, as measured, and that lay between the end of one and the begin of the next. */
export type Durations = Record<Work, readonly number[]> & { gap?: readonly number[] }

export type Play = (draw: Draw, gap: Gap) => Forecast

export interface Estimate {
  /** Milliseconds: half of the rollouts end by p50, nine of ten by p90. */
  p50: number
  p90: number
  /** By when so many steps are through in nine of ten; of rollouts that are not too large to be followed by name. */
  by?: number[]
}

/** Enough for a p90; of a long rollout one is enough, because the sum of so many hardly varies. */
const RUNS = 40
const MOVES = 5_000
const FOLLOWED = 500

/** How long a rollout takes, from playing it with durations drawn from those measured. Null: it does not end by itself. */
export function estimate(play: Play, durations: Durations, seed = 1): Estimate | null {
  const random = generator(seed)
  const ends: number[] = []
  const steps: number[][] = []
  for (let moves = 0; ends.length < RUNS && moves < MOVES;) {
    const forecast = play(
      (work) => drawn(durations[work], random()),
      () => drawn(durations.gap ?? [], random()),
    )
    if (forecast.ends === null) return null
    moves += forecast.moves.length
    ends.push(forecast.ends)
    steps.push(forecast.moves.map(({ to }) => to).sort((a, b) => a - b))
  }
  ends.sort((a, b) => a - b)
  const whole = { p50: quantile(ends, 0.5), p90: quantile(ends, 0.9) }
  const most = Math.max(...steps.map((of) => of.length))
  return most <= FOLLOWED ? { ...whole, by: Array.from({ length: most }, (_, step) => late(steps, step)) } : whole
}

/** When the step is through in nine of ten runs. */
const late = (steps: readonly number[][], step: number): number =>
  quantile(
    steps.flatMap((of) => of[step] ?? []).sort((a, b) => a - b),
    0.9,
  )

export const medians =
  (durations: Durations): Draw =>
  (work) =>
    median(durations[work])

export const medianGap =
  ({ gap = [] }: Durations): Gap =>
  () =>
    median(gap)

const median = (values: readonly number[]): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  )

const drawn = (values: readonly number[], random: number): number =>
  values[Math.min(values.length - 1, Math.floor(random * values.length))] ?? 0

/** Of sorted values, without interpolation. */
function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? 0
}

/** The same numbers for the same seed: two looks at one page must not disagree (Park and Miller's). */
function generator(seed: number): () => number {
  let at = seed
  return () => (at = (at * 48_271) % 2_147_483_647) / 2_147_483_647
}
