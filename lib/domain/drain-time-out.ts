const second = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** "90s", "10m", "2h", "1d" */
export const timeWords = (n: number): string =>
  n === 0
    ? 'none'
    : n % 86_400 === 0
      ? `${n / 86_400}d`
      : n % 3_600 === 0
        ? `${n / 3_600}h`
        : n % 60 === 0
          ? `${n / 60}m`
          : `${n}s`

/** Said of a machine whose node is being drained, and has a time-out for that. */
export const drainEnds = (at: number): string => `its drain is given up at ${second(at)}`

/** When its drain is given up, by what is said of it; null: nothing says that it is. */
export const drainEndIn = (words: string): string | null =>
  /\bits drain is given up at (\d{4}-\d\d-\d\d [\d:]{8} UTC)/.exec(words)?.[1] ?? null

/** Said of a machine that went on without its node being drained to the end. */
export const drainGivenUp = (seconds: number): string => `its drain was given up after ${timeWords(seconds)}`

/** The same of what is said of it, as a sentence; null: it was not, as far as is known. */
export function givenUpIn(words: string): string | null {
  const after = /\bits drain was given up after (\w+)/.exec(words)?.[1]
  return after === undefined ? null : `Its drain was given up after ${after}.`
}
