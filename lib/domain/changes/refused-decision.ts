/**
 * The cluster did not take a decision, and that is where it stands: not where it was approved anew since and goes by itself when its time
 * comes (`due`). Of one of which no answer is known it is not known whether it moves.
 */
export const isRefused = (
  decision: { state: string; noAnswer?: boolean | undefined } | null | undefined,
  due: boolean | undefined,
): boolean => decision?.state === 'failed' && (decision.noAnswer === true || !due)
