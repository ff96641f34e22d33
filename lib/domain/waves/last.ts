import type { Member } from './types'

/** Where a group is with what a run wants, and in which words. */
export type Stands = Pick<Member, 'state' | 'at' | 'since' | 'stays'>

/**
 * The last word of a group about something that others want, by its changes with that wish that its newest one says nothing of.
 * Times in milliseconds.
 */
export interface LastWord {
  wish: string
  /** When it was through at last: done, or seen to be what its group has. `undone`: where the group is not there, what began last of it was never done; `unmoved`: no machine is known to have begun with it. */
  through: { at: number; exact: string | null; undone: boolean; unmoved?: boolean } | null
  /** What came after that and was never through, all of it together: it is open, had begun, or was left with its cluster. */
  unfinished: {
    exact: string | null
    /** When the newest of it was over. */
    over: number
    begun: boolean
    /** By itself, or somebody said no to it. */
    stopped: boolean
    /** It was over by the time its cluster was disconnected, or by that. */
    left: boolean
    /** When another change of its group was done since. */
    doneAfter: number | null
  } | null
}

/** What is known of a group at this moment. */
export interface GroupNow {
  version: string | null
  /** All of its machines are what it wants; as many of them as it wants are available. */
  settled: boolean
  available: boolean
  /** It wants no machine, and nothing holds it. */
  empty: boolean
  /** A change of it is open. */
  wants: boolean
  /** What began last of it was never done. */
  unended: 'stopped' | 'unready' | null
  /**
   * Its newest change was left with its cluster, and nothing is found there since: what that wished, where that may be what it has.
   * `unsure`: of other content than a version, nobody knows yet whether it is.
   */
  left: { wish: string | null; atHook: boolean; unsure?: true } | null
}

/** Nothing is known of it: its cluster is away; it was listed since, and the group is not there; or it is to be listed. */
export type Absent = 'away' | 'gone' | 'coming'

/** Of a run, since when it is under way, and what exactly is wanted there. */
export interface RunSpan {
  began: number
  exacts: ReadonlySet<string>
}

export const isVersion = (wish: string): boolean => wish.startsWith('version ')

const SKIP = 'do not wait for its wave'

/** How it stands, where nobody is to be told that its wave could be passed over. */
export const withoutSkip = (at: string): string => at.replaceAll(`, or ${SKIP}`, '').replaceAll(`: ${SKIP}`, '')

/** What is told of a group of which what began last was never done. */
const UNENDED = {
  // What is over nobody can count as done any more.
  stopped: `stopped, never counted as done, and over: roll it out anew, or ${SKIP}`,
  unready: 'updated, and not Ready yet',
}
const ABSENT: Record<Absent, string> = {
  away: `its cluster was disconnected before it was done: connect it again, or ${SKIP}`,
  gone: `not done when its cluster was disconnected, and not there since that is connected again: ${SKIP}`,
  coming: 'not done when its cluster was disconnected; what it is now is not known yet',
}
/** The same of what had begun, and no disconnect is known of. */
const MISSING: Record<Absent, string> = {
  away: ABSENT.away,
  gone: `begun, and its group is not there any more: ${SKIP}`,
  coming: 'begun, and its group is not known at this moment',
}
const BACK = `not done when its cluster was disconnected: roll it out anew, or ${SKIP}`
const OVER = `begun, and over before it was done: roll it out anew, or ${SKIP}`
const OVERTAKEN = 'another change took its place before it was done, and is not done either'

const open = (at: string): Stands => ({ state: 'open', at })
const stays = (at: string): Stands => ({ state: 'open', at, stays: true })
const ended = (how: 'stopped' | 'unready'): Stands =>
  how === 'stopped' ? stays(UNENDED.stopped) : open(UNENDED.unready)

/** Its machines are that version, and nothing else is wanted of it. */
const keeps = (wish: string, { version, settled, wants }: GroupNow): boolean =>
  settled && !wants && wish === `version ${version}`

/**
 * Where a group is with what others want, and its newest change is not about that: what was through soaks on; what had begun and
 * was never through is waited for, whatever is wanted there by now, and whether it is there or not. Null: it has nothing to do
 * with it. `settles`: it is seen to be what its group has, and is to be kept as that: it soaks from then.
 */
export function standsWith(
  { wish, through, unfinished }: LastWord,
  now: GroupNow | Absent,
  { began, exacts }: RunSpan,
): (Stands & { settles?: true }) | null {
  /** A version is the same whenever it is wanted; restarts and secrets are wanted again and again, with other dates. */
  const isOfRun = (at: number, exact: string | null, always: boolean) =>
    at >= began || (isVersion(wish) ? always : exact !== null && exacts.has(exact))
  const was: Stands | null =
    through && isOfRun(through.at, through.exact, true) ? { state: 'was', since: through.at } : null
  const known = typeof now === 'string' ? null : now
  const has = known !== null && hasIt(wish, known)
  if (known && isVersion(wish) && keeps(wish, known) && known.unended) return ended(known.unended)
  const state = has && isVersion(wish) && (known.settled || known.wants) ? 'through' : 'was'
  const absent = (left: boolean) => (now === 'coming' ? open : stays)((left ? ABSENT : MISSING)[now as Absent])
  // It has it from before any change of which that is known.
  if (!unfinished && !through) return known?.available && keeps(wish, known) ? { state: 'there' } : null
  if (was && !unfinished && through?.unmoved)
    return { state: has && isVersion(wish) && known.settled && known.available ? 'there' : 'none' }
  if (!unfinished) return known === null && through?.undone ? absent(false) : was && { ...was, state }
  const { over, exact, begun, stopped, left, doneAfter } = unfinished
  if (known === null) return isOfRun(over, exact, left) ? absent(left) : was
  if (over === Infinity) return open(MISSING.coming)
  if (has && isVersion(wish) && doneAfter !== null) return { state, since: doneAfter, settles: true }
  const unsure = known.left?.unsure === true && !isVersion(wish) && known.left.wish === wish
  if (known.left && !known.empty && (known.left.atHook || !known.settled || unsure)) {
    // At its hook it may have been changed back meanwhile: then nothing comes.
    const told = known.settled ? stays(BACK) : open(ABSENT.coming)
    return isOfRun(over, exact, left) ? told : was
  }
  // Of what had not begun, and was left, only somebody's no to it counts.
  if (!isOfRun(over, exact, has) || !(has || begun || stopped)) return was
  if (stopped) return ended('stopped')
  if (!has) return stays(OVER)
  if (known.settled && known.available && !known.unended && !known.wants) return { state, settles: true }
  // It wants no machine any more.
  if (known.empty) return was
  return open(known.wants ? OVERTAKEN : UNENDED.unready)
}

/** A content that was left is what its machines have where nothing else was found there since. */
const hasIt = (wish: string, { version, left, settled }: GroupNow): boolean =>
  isVersion(wish) ? wish === `version ${version}` : settled && left?.wish === wish && !left.unsure

/** From when until when something was wanted somewhere. */
export interface Wanted {
  from: number
  to: number
  exact: string | null
  /** By its newest change: what that wants is what the run wants. */
  now?: boolean
}

/** What is open, and what was under way with it, or with that: however long ago the first of it was found. */
export function spanOf(wanted: readonly Wanted[]): RunSpan {
  let began = Infinity
  const exacts = new Set<string>()
  for (const { from, to, exact, now } of wanted.toSorted((a, b) => b.to - a.to)) {
    if (to !== Infinity && to < began) break
    began = Math.min(began, from)
    if (now && exact !== null) exacts.add(exact)
  }
  return { began, exacts }
}
