const BEGINS = 'In the middle of its in-place update'

/** A machine for which Cluster API's call of its updater did not get through; `why` without a full stop. */
export const uncalledSentence = (version: string | null, why: string): string =>
  `${BEGINS}${version ? ` to ${version}` : ''}: ${why}.`

/** By its sentence, or by what its change says of it: nobody is at work on it. */
export const saysUncalled = (sentence: string | null): boolean => sentence?.startsWith(BEGINS) ?? false
