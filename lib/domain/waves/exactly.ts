import { goesOn, tallyOf, type Tally } from './run'
import type { Member, WaveState } from './types'

/** Where a group is with what may be wanted again and again: restarts, and secrets. */
export interface Wanting extends Member {
  /** Index of its wave. */
  wave: number
  /** With its dates; null: that cannot be compared. */
  exact?: string | null
  /** Of what it wants, or went through: since when that is known. */
  detected?: number
  /** Of what is open and has not begun: what it was through with before it was wanted once more, and when. */
  had?: { exact: string; since: number }
}

/** Of each wave by its index. */
export const byWave = <M extends Wanting>(members: Iterable<M>, waves: number): M[][] => {
  const found = Array.from({ length: waves }, (): M[] => [])
  for (const member of members) found[member.wave]!.push(member)
  return found
}

interface Tried {
  member: Wanting
  exact: string | null
  since: number
}

/**
 * The waves as they stand for each that is exactly wanted. Who is through counts for those that want the very same, and for those
 * whose wish was known before that one came through: what was through before says nothing of this time. What cannot be compared may
 * be anything: for that, whoever is through has to be so with all that is wanted. Of who tried it and is wanted to do it once more,
 * and has not begun, what it was through with counts; everything else that is open is waited for, on whatever date.
 * `counted`: those that are through, for any of them.
 */
export function exactly<M extends Wanting>(
  members: readonly M[],
  waves: number,
  judge: (tallies: readonly Tally[]) => WaveState[],
  now: number,
): { of: Map<string | null, WaveState[]>; counted: Set<Member> } {
  const [of, counted] = [new Map<string | null, WaveState[]>(), new Set<Member>()]
  const wanted = newestFirst(members)
  const others = members.filter(({ state }) => state !== 'through')
  const tallies = byWave(others, waves).map((some) => tallyOf(some, now))
  const tried = members.flatMap(triedBy).sort((a, b) => b.since - a.since)
  const same = new Map<string | null, Tried[]>()
  for (const one of tried) {
    const found = same.get(one.exact)
    if (found) found.push(one)
    else same.set(one.exact, [one])
  }
  const count = ({ member, since }: Tried) => {
    if (member.state === 'through') counted.add(member)
    return moved(tallies[member.wave]!, member, Number.isFinite(since) ? since : now)
  }
  // Each that counts for one counts for all that were known before it: none is looked at anew for each of thousands of dates.
  let next = 0
  let unchanged: WaveState[] | null = null
  for (const [exact, known] of wanted) {
    for (; next < tried.length && tried[next]!.since >= known; next++) {
      count(tried[next]!)
      unchanged = null
    }
    if (exact === null) continue
    const also = (same.get(exact) ?? []).filter(({ since }) => since < known).map(count)
    of.set(exact, also.length > 0 ? judge(tallies) : (unchanged ??= judge(tallies)))
    for (const undo of also.reverse()) undo()
  }
  if (wanted.some(([exact]) => exact === null)) {
    const all = members.filter((member) => member.state === 'through' && knowsAll(member, wanted))
    for (const member of all) counted.add(member)
    of.set(null, judge(byWave([...others, ...all], waves).map((some) => tallyOf(some, now))))
  }
  return { of, counted }
}

type Wanted = [exact: string | null, known: number]

/** What the open ones want, and since when the newest of those that want it is known. */
function newestFirst(members: readonly Wanting[]): Wanted[] {
  const wanted = new Map<string | null, number>()
  for (const { state, exact = null, detected = Infinity } of members)
    if (state === 'open') wanted.set(exact, Math.max(wanted.get(exact) ?? -Infinity, detected))
  return [...wanted].sort(([, a], [, b]) => b - a)
}

/** It has the very same, or came through after the others were known. */
const knowsAll = ({ exact = null, since = -Infinity }: Wanting, [newest, second]: readonly Wanted[]): boolean =>
  since >= ((exact !== null && newest![0] === exact ? second?.[1] : newest![1]) ?? -Infinity)

function triedBy(member: Wanting): Tried[] {
  const { state, exact = null, since = -Infinity, had } = member
  if (state === 'through') return [{ member, exact, since }]
  return had ? [{ member, ...had }] : []
}

/** Counts one more that is through, until that is undone. */
function moved(tally: Tally, member: Member, since: number): () => void {
  const { moving, since: before } = tally
  const waited = tally.open.delete(member)
  if (waited && goesOn(member)) tally.moving--
  tally.through++
  tally.since = Math.max(before, since)
  return () => {
    if (waited) tally.open.add(member)
    tally.through--
    ;[tally.moving, tally.since] = [moving, before]
  }
}
