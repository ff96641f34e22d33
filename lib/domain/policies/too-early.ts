import { utc, utcAnd } from './spans'

/** What is approved ends before it may go. */
export interface TooEarly {
  /** When the approvals end. */
  ends: string
  /** Before which moment it surely does not go; null: nothing says when it may. */
  may: string | null
  /** From when on an approval lasts until then; null: that is not known. */
  from: string | null
  /** Of the place of the window. */
  zone: string | null
  /** Which policy says how long an approval lasts; null: none of now. */
  policy: string | null
}

/**
 * Whether approvals that end at a moment are over before anything of the change may go. `may`: before which moment it surely does
 * not; null: nothing says when. `lasts`: how long an approval is good for now; null: for good. Null: they last long enough, as far
 * as is known.
 */
export function tooEarly(
  ends: number | null,
  { may, lasts, now }: { may: number | null; lasts: number | null; now: number },
): Pick<TooEarly, 'ends' | 'may' | 'from'> | null {
  if (ends === null || (may !== null && ends > may)) return null
  const from = may === null ? null : lasts === null ? now : Math.max(now, may - lasts)
  return { ends: iso(ends), may: may === null ? null : iso(may), from: from === null ? null : iso(from) }
}

const iso = (at: number): string => new Date(at).toISOString()

/** For lists: "The approval expires at … , before it may go." `given`: it is approved; else it is about to be. */
export const expiresWords = ({ ends, may }: TooEarly, given: boolean): string =>
  `${given ? 'The approval' : 'What is approved now'} expires at ${utc(ends)}, ${may ? 'before it may go' : NEVER}.`

const NEVER = 'and nothing says that it may go before then'

/** The same, with when it may, and what can be done. */
export function tooEarlyWords(early: TooEarly, given: boolean): string {
  const { may, from, zone, policy } = early
  const when = may ? `, at the earliest at ${utcAnd(may, zone)}` : ''
  const again = from ? `approve it ${given ? 'again ' : ''}after ${utc(from)}` : null
  // Without a known time nothing that lasts longer helps.
  const longer = policy && may ? `let approvals last longer (expiresAfter in the policy ${policy})` : null
  const ways = [again, longer, 'let it go with “Do not wait…” on its page'].filter((way) => way !== null)
  const others = ways.slice(0, -1).join(', ')
  return `${expiresWords(early, given).slice(0, -1)}${when}: ${others}${others ? ', or ' : ''}${ways.at(-1)}.`
}
