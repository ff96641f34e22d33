/** How a group stands that is approved, and has not begun. */
export const APPROVED = 'approved'

/** Where a group is with what a run wants. */
export interface Member {
  id: string
  name: string
  /**
   * through: its change is done. there: its machines are what is wanted, from before. open: its change is not over. was: it was
   * through, and nobody knows whether it still has it: that soaks, and tries nothing. none: it is over, and no machine is known to
   * have begun with it: that tries nothing either. has: its machines are what is wanted, from before, and do not count as they are.
   */
  state: 'through' | 'there' | 'open' | 'was' | 'none' | 'has'
  /** Of what is open, in a few words: "rejected", "under way". */
  at?: string
  /** Nothing of it goes on by itself. */
  stays?: true
  /** Of what is open: no machine lacks it now. It tries nothing, and who comes after it waits: its machines may be away for a moment. */
  nobody?: true
  /** When it was through, in milliseconds. */
  since?: number
  /** Of what was through: why it counts no more. */
  lost?: string
  /** Of what has it: when it counts. */
  counts?: string
}

/**
 * For how long what is said of restarts, secrets and other content holds for what comes to be wanted after it, in milliseconds: the same
 * is wanted again and again, and next month's is another one, also where the run of this month is never over.
 */
export const SAID_FOR_MS = 24 * 3_600_000

/** What people said about a run. */
export interface Words {
  /** Waves that somebody said begin. */
  begun: ReadonlySet<string>
  /** Waves that somebody said are not waited for, and since when (milliseconds). */
  skipped: ReadonlyMap<string, number>
}

/** Where one wave of a run stands. */
export interface WaveState {
  name: string
  /** through: the ones after it need not wait for it. open: its groups may move. */
  state: 'through' | 'open' | 'waits'
  /** Why it waits; of one that is open, and that nobody tries, why those after it do. */
  why?: string
  /** What ends the waiting: a time, or somebody who says that it begins. */
  opensAt?: number
  /** Of what waits for a time: the wave that soaks. */
  soaksAfter?: string
  /** It waits for nothing but somebody who says that it begins. */
  asksPerson?: true
  /** Somebody has to say that it begins, now or when what it waits for is over: it does not go by itself. */
  asksThen?: true
  /** What it waits for does not come by itself: a word, a group that tries it, one that was rejected. */
  needsPerson?: true
  /** How many groups there are in it; how many of them want it; how many of those are through; how many had it before. */
  groups: number
  wanting: number
  through: number
  there: number
  /** Of one that is open: all that is not through in it is what no machine lacks now. */
  nobody?: true
  /** Of one that nobody wants: how many were through with it, and count no more. */
  was?: number
  /** And in how many no machine had to change. */
  none?: number
  /** And how many have it from before, and do not count yet. */
  has?: number
  skipped?: true
}
