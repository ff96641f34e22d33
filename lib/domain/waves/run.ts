import { durationOf, utc, type Wave } from '../policies'
import { NOT_KNOWN } from './lost'
import { APPROVED, type Member, type WaveState, type Words } from './types'

/**
 * Where the waves of a run stand. A wave is through when every group in it that wants the same is through, and one is at
 * least; where none wants it, when one before it has tried. It opens when all before it are through and have soaked, and
 * somebody said so where it asks for that. `members`: of each wave, those that want it or have it; `groups`: how many are in it.
 */
export function wavesAt(
  waves: readonly Wave[],
  members: readonly (readonly Member[])[],
  groups: readonly number[],
  words: Words,
  now: number,
): WaveState[] {
  const tallies = members.map((mine) => tallyOf(mine, now))
  return wavesBy(waves, tallies, groups, words, now)
}

/** How many of a wave's groups are what. */
export interface Tally {
  /** Those that are not through, and of how many of them something may go on by itself. */
  open: Set<Member>
  moving: number
  through: number
  /** When the last of those was. */
  since: number
  there: number
  /** Those that were, and count no more. */
  was: Member[]
  /** Those in which no machine had to change. */
  none: Member[]
  /** Those that have it, and do not count yet. */
  has: Member[]
}

export function tallyOf(members: readonly Member[], now: number): Tally {
  const tally: Tally = {
    open: new Set(),
    moving: 0,
    through: 0,
    since: -Infinity,
    there: 0,
    was: [],
    none: [],
    has: [],
  }
  for (const member of members) {
    const { state, since = now } = member
    if (state === 'there') tally.there++
    else if (state === 'none') tally.none.push(member)
    else if (state === 'has') tally.has.push(member)
    else if (state === 'was') {
      tally.was.push(member)
      tally.since = Math.max(tally.since, since)
    } else if (state === 'through') {
      tally.through++
      tally.since = Math.max(tally.since, since)
    } else {
      tally.open.add(member)
      if (goesOn(member)) tally.moving++
    }
  }
  return tally
}
/** Of what no machine lacks nobody is asked, and it goes by itself only once it is approved. */
export const goesOn = ({ at, stays, nobody }: Member): boolean =>
  at !== 'rejected' && !stays && (!nobody || at === APPROVED)
const NONE = tallyOf([], 0)

/** The same of who is counted already. */
export function wavesBy(
  waves: readonly Wave[],
  tallies: readonly Tally[],
  groups: readonly number[],
  { begun, skipped }: Words,
  now: number,
): WaveState[] {
  let opensAt = -Infinity
  let after = ''
  let tried = false
  /** Why those after it wait; null: they need not. */
  let held: string | null = null
  /** Those behind the one that they wait for, which come before as well. */
  const between: string[] = []
  /** It waits for nothing that is under way. */
  let needsPerson = false
  return waves.map((wave, index): WaveState => {
    const { name, ownApproval } = wave
    const mine = tallies[index] ?? NONE
    const { open, through, there } = mine
    const wanting = open.size + through
    // Whatever it waits for: one that ran is told from one that nobody tried.
    const before = wanting > 0 ? {} : beforeIn(mine)
    const counts = { groups: groups[index] ?? 0, wanting, through, there, ...before }
    const asks = ownApproval === true && !begun.has(name)
    const waits =
      held === null
        ? (soaking(after, opensAt, now, asks) ?? (asks ? ASKS : null))
        : [held, ...betweenWords(between), ...(asks ? [ASKS] : [])].join('; then ')
    const stands =
      waits === null
        ? null
        : { ...told(waits, { opensAt, after, asks }, now), ...(needsPerson ? { needsPerson: true as const } : {}) }
    const skip = skipped.get(name)
    if (skip !== undefined) {
      // What is in it is not waited for, nor does it soak; it goes when it could have gone.
      ;[opensAt, tried] = [Math.max(opensAt, skip), true]
      return { name, ...counts, skipped: true, ...(stands ?? { state: 'through' }) }
    }
    const why = notThrough(name, mine, counts.groups, tried)
    if (why === null) {
      const soaked = mine.since + soakOf(wave)
      if (soaked > opensAt) [opensAt, after] = [soaked, name]
      tried ||= through + there > 0
      return { name, ...counts, state: 'through' }
    }
    if (held === null) {
      // Also before it is through: who waits for it plans by that.
      held = wave.soak && open.size > 0 ? `${why}; then ${name} soaks for ${wave.soak}` : why
      needsPerson = mine.moving === 0
    } else if (open.size > 0) between.push(wave.soak ? `${name}, with its soak of ${wave.soak},` : name)
    // Nobody tries it, and those after it wait for that; or nothing of it goes on by itself.
    const stays = {
      ...(mine.moving === 0 ? { needsPerson: true as const } : {}),
      ...(open.size > 0 && [...open].every(({ nobody }) => nobody) ? { nobody: true as const } : {}),
    }
    const left = wanting === 0 ? { why, ...stays } : stays
    return { name, ...counts, ...(stands ?? { state: 'open', ...left }) }
  })
}

/** Of one that nobody wants: how many were through, had nothing to change, or have it and do not count yet. */
const beforeIn = ({ was, none, has }: Tally): Pick<WaveState, 'was' | 'none' | 'has'> => ({
  ...(was.length > 0 ? { was: was.length } : {}),
  ...(none.length > 0 ? { none: none.length } : {}),
  ...(has.length > 0 ? { has: has.length } : {}),
})

function betweenWords(waves: readonly string[]): string[] {
  if (waves.length === 0) return []
  const more = waves.length > NAMED ? ` and ${waves.length - NAMED} more` : ''
  return [`${waves.slice(0, NAMED).join(' and ')}${more} ${waves.length === 1 ? 'has' : 'have'} to be through`]
}

/** How long a wave soaks, in milliseconds. */
export const soakOf = ({ soak }: Wave): number => durationOf(soak ?? 'never') ?? 0

const ASKS = 'somebody has to say that it begins'

type Waiting = Pick<WaveState, 'state' | 'why' | 'opensAt' | 'soaksAfter' | 'asksPerson' | 'asksThen' | 'needsPerson'>

type Soaks = { opensAt: number; after: string; asks: boolean }
function told(why: string, { opensAt, after, asks }: Soaks, now: number): Waiting {
  const time = why.startsWith(SOAKS) && opensAt > now
  return {
    ...{ state: 'waits', why },
    ...(time ? { soaksAfter: after } : {}),
    // Where somebody has to say so afterwards, time alone does not open it.
    ...(time && !asks ? { opensAt } : {}),
    ...(asks ? { asksThen: true } : {}),
    ...(why === ASKS ? { asksPerson: true, needsPerson: true } : {}),
  }
}

const SOAKS = 'it soaks: '
const soaking = (after: string, opensAt: number, now: number, asks: boolean): string | null => {
  if (now >= opensAt) return null
  const then = asks ? ', when somebody says so' : ''
  return `${SOAKS}${after} is through, and the next may begin ${utc(opensAt)}${then}`
}

const NAMED = 3
const NO_GROUP = 'has no group that could try it'

/** Null: it is through. */
function notThrough(
  wave: string,
  { open, through, there, was, none, has }: Tally,
  groups: number,
  tried: boolean,
): string | null {
  if (open.size > 0) {
    const named: string[] = []
    for (const { name, at } of open) {
      if (named.length === NAMED) break
      named.push(at ? `${name} (${at})` : name)
    }
    const more = open.size > NAMED ? ` and ${open.size - NAMED} more` : ''
    return `${wave} is not through: ${named.join(', ')}${more}`
  }
  if (tried || through + there > 0) return null
  return groups === 0
    ? `${wave} ${NO_GROUP}`
    : `no group in ${wave} wants it now${hasWords(has)}${wasWords(was)}${noneWords(none)}`
}

/** Who has it from before, and when that counts. */
function hasWords([first, ...more]: readonly Member[]): string {
  if (!first) return ', and none is known to have it and keep it'
  const others = more.length > 0 ? `; so it is with ${more.length} more` : ''
  return `: ${first.name} has it, and counts once ${first.counts}${others}`
}

/** Where it is over, and tried nothing. */
function noneWords(none: readonly Member[]): string {
  if (none.length === 0) return ''
  const named = none.slice(0, NAMED).map(({ name }) => name)
  const more = none.length > NAMED ? ` and ${none.length - NAMED} more` : ''
  return ` (let go, and no machine is known to have begun with it: ${named.join(', ')}${more})`
}

/** Who was through, when, and why that counts no more. */
function wasWords(was: readonly Member[]): string {
  if (was.length === 0) return ''
  const named = was.slice(0, NAMED).map(({ name, since, lost = NOT_KNOWN }) => {
    const when = since === undefined ? '' : ` ${utc(since)}`
    return `${name} was through${when} and counts no more: ${lost}`
  })
  return ` (${[...named, ...(was.length > NAMED ? [`and ${was.length - NAMED} more`] : [])].join('; ')})`
}
