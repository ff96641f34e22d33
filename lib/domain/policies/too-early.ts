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

/** "It expires at … before it may go at …: approve it again after …, or …" `given`: it is approved; else it is about to be. */
export function tooEarlyWords({ ends, may, from, zone, policy }: TooEarly, given: boolean): string {
  const what = given ? 'The approval' : 'What is approved now'
  const when = may
    ? `before it may go, at the earliest at ${utcAnd(may, zone)}`
    : 'and nothing says that it may go before then'
  const again = from ? `approve it ${given ? 'again ' : ''}after ${utc(from)}` : null
  const longer = policy ? `let approvals last longer (expiresAfter in the policy ${policy})` : null
  const ways = [again, longer, 'do not wait for its time'].filter((way) => way !== null)
  return `${what} expires at ${utc(ends)}, ${when}: ${ways.slice(0, -1).join(', ')}${ways.length > 1 ? ', or ' : ''}${ways.at(-1)}.`
}
