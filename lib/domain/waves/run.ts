import { durationOf, utc, type Wave } from '../policies'
import type { Member, WaveState, Words } from './types'

/**
 * Where the waves of a run stand. A wave is through when every group in it that wants the same is through, and one is at
 * least; where none wants it, when one before it has tried. It opens when all before it are through and have soaked, and
 * somebody said so where it asks for that. `members`: of each wave, those that want it or have it; `groups`: how many are in it.
 */
export function wavesAt(
  waves: readonly Wave[],
  members: readonly (readonly Member[])[],
  groups: readonly number[],
  { begun, skipped }: Words,
  now: number,
): WaveState[] {
  let opensAt = -Infinity
  let after = ''
  let tried = false
  /** Why those after it wait; null: they need not. */
  let held: string | null = null
  /** It waits for nothing that is under way. */
  let needsPerson = false
  return waves.map((wave, index): WaveState => {
    const { name, soak, ownApproval } = wave
    const mine = members[index] ?? []
    const wanting = mine.filter(({ state }) => state === 'open' || state === 'through')
    const through = mine.filter(({ state }) => state === 'through')
    const there = mine.length - wanting.length
    const counts = { groups: groups[index] ?? 0, wanting: wanting.length, through: through.length, there }
    const asks = ownApproval === true && !begun.has(name)
    const waits = held ?? soaking(after, opensAt, now, asks) ?? (asks ? ASKS : null)
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
      const soaked =
        Math.max(-Infinity, ...through.map(({ since }) => since ?? now)) + (durationOf(soak ?? 'never') ?? 0)
      if (soaked > opensAt) [opensAt, after] = [soaked, name]
      tried ||= mine.some(({ state }) => state === 'through' || state === 'there')
      return { name, ...counts, state: 'through' }
    }
    if (held === null) [held, needsPerson] = [why, !mine.some(({ state, at }) => state === 'open' && at !== 'rejected')]
    return { name, ...counts, ...(stands ?? { state: 'open' }) }
  })
}

const ASKS = 'somebody has to say that it begins'

type Waiting = Pick<WaveState, 'state' | 'why' | 'opensAt' | 'soaksAfter' | 'asksPerson' | 'needsPerson'>

type Soaks = { opensAt: number; after: string; asks: boolean }
function told(why: string, { opensAt, after, asks }: Soaks, now: number): Waiting {
  const time = why.startsWith(SOAKS) && opensAt > now
  return {
    ...{ state: 'waits', why },
    ...(time ? { soaksAfter: after } : {}),
    // Where somebody has to say so afterwards, time alone does not open it.
    ...(time && !asks ? { opensAt } : {}),
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
function notThrough(wave: string, members: readonly Member[], groups: number, tried: boolean): string | null {
  const open = members.filter(({ state }) => state === 'open')
  if (open.length > 0) {
    const named = open.slice(0, NAMED).map(({ name, at }) => (at ? `${name} (${at})` : name))
    const more = open.length > NAMED ? ` and ${open.length - NAMED} more` : ''
    return `${wave} is not through: ${named.join(', ')}${more}`
  }
  if (tried || members.length > 0) return null
  return groups === 0 ? `${wave} ${NO_GROUP}` : `no group in ${wave} has it, or wants it`
}
