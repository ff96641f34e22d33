/** What an update does to one machine, said before anything moves. Order is from quiet to urgent. */
export const VERDICTS = ['up-to-date', 'in-place', 'in-place-with-spare', 'replace', 'unknown', 'blocked'] as const
export type Verdict = (typeof VERDICTS)[number]

/** Those that speak of what updaters could do. */
export const ABLE: readonly Verdict[] = ['in-place', 'in-place-with-spare', 'unknown']

/** The words of a verdict, as they stand in chips and sentences. */
export const VERDICT_WORDS: Record<Verdict, string> = {
  'up-to-date': 'up to date',
  'in-place': 'in place',
  'in-place-with-spare': 'in place, with a spare',
  replace: 'replace',
  unknown: 'unknown',
  blocked: 'blocked',
}

export type VerdictCounts = Partial<Record<Verdict, number>>
