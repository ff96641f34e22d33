import { utc } from './spans'

interface Opens {
  opens: string | null
}

/** What says when what is approved goes, as a TimingDto has it. */
interface Times extends Opens {
  open: boolean
  why: string | null
  paused: { by: string } | null
  stopped: { policy: string } | null
  step: object | null
  wave: { place: { index: number; of: number; needsPerson?: boolean } | null } | null
  also?: readonly { why: string }[]
  under?: readonly object[]
  apart: readonly string[]
  besides: readonly Opens[]
}

/** When it may go by all that holds it; null: nothing says when. */
export function opensAt({ opens: first, besides }: Opens & { besides: readonly Opens[] }): string | null {
  const all = [first, ...besides.map(({ opens }) => opens)]
  return all.includes(null) ? null : all.reduce((a, b) => (b! > a! ? b : a))
}

/** When what is approved goes by itself, in few words; `begun`: some of it went before it was held in the middle. */
export function goesWords(timing: Times, begun = false): string {
  const { open, why, paused, stopped, step, wave, also = [], apart, under } = timing
  if (paused) return `paused by ${paused.by}`
  if (stopped) return stopped.policy ? `stopped by the policy ${stopped.policy}` : 'waits for somebody’s word'
  if (step) return 'the next machine waits for somebody'
  const opens = opensAt(timing)
  if (why === 'wave' && !opens)
    return wave?.place
      ? `in wave ${wave.place.index + 1} of ${wave.place.of}${wave.place.needsPerson ? ', which waits for somebody' : ''}`
      : 'for its wave'
  if (why === 'hook') return 'goes when it gets the version'
  if (open || why === 'shape') return begun ? 'about to go on' : 'about to start'
  if (opens) return `goes ${begun ? 'on ' : ''}${utc(opens)}`
  const outside = under || also.some((one) => one.why === 'freeze') ? ' outside a freeze' : ''
  if (apart.length > 0) return `its windows are never open together${outside}`
  if (under) return 'its windows open only in a freeze'
  return why === 'freeze' ? 'frozen' : 'no window is known'
}
