import type { SkewVerdict } from './verdict'

/** A cluster's verdict as people say it. */
export const VERDICT_WORDS: Record<SkewVerdict, string> = {
  'out-of-skew': 'below the floor',
  'update-failing': 'update failing',
  unknown: 'not known',
  evaluating: 'being evaluated',
  'not-enforced': 'not enforced',
  'unsupported-release': 'no limit here',
  ok: 'in range',
}
export const CLOSED = 'updates closed'

/** One that is not known may be about updates that are closed. */
export const verdictWords = (verdict: SkewVerdict, closes: boolean): string =>
  closes && verdict === 'unknown' ? CLOSED : VERDICT_WORDS[verdict]
