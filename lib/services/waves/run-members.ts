import { PAUSED_AND } from '@/lib/domain/their-pause'
import { versionKey } from '@/lib/domain/version'
import {
  APPROVED,
  isVersion,
  lostWords,
  spanOf,
  standsWith,
  type GroupNow,
  type RunSpan,
  type Stands,
  type Wanted,
  type Wanting,
} from '@/lib/domain/waves'
import { isOpen } from '../changes/states'
import type { GroupWord } from './last-words'
import type { Membership, Waved, WavesGroup } from './membership'
import { speaksItself, type Newest } from './newest'
import { placeOf, type Place } from './place'
import type { Had } from './pools-have'
import { staysIn, waveOf } from './where'

export interface RunMember extends Wanting {
  clusterId: string
  /** Its change, where it wants what the run wants, and where that was placed. */
  change: { id: string; state: string; place: Place | null; moved: boolean } | null
  summary?: string
  /** A change that is seen to be what its group has, which is to be kept. */
  settles?: string
}

/** What is known of groups. */
export interface Known {
  /** Those that are there, with their newest changes. */
  newest: ReadonlyMap<string, Newest>
  /** What pools have. */
  pools?: ReadonlyMap<string, readonly Had[]>
  /** Their last words about what others want, also of those that are not there. */
  words?: ReadonlyMap<string, readonly GroupWord[]>
  /** Where groups were placed last. */
  places?: ReadonlyMap<string, Place>
  /** Groups of which it is known which waves hold for them. */
  known?: ReadonlySet<string>
  /** Policies that have waves, and which groups each is for. */
  placing?: Membership['placing']
  /** When it is looked at, in milliseconds. */
  now?: number
}

const NONE = new Map<string, never>()

/** What its groups want, in short: of a version also what they come from, where that is one, and whoever of them is through. */
export function summaryOf(wish: string, members: readonly Pick<RunMember, 'state' | 'change' | 'summary'>[]): string {
  const own = members.filter(({ state, change }) => change !== null && (state === 'open' || isVersion(wish)))
  const [summary = wish, ...others] = new Set(own.flatMap(({ summary }) => summary ?? []))
  return others.length > 0 && isVersion(wish) ? `→ ${wish.replace('version ', '')}` : summary
}

/** Of each wish, the groups that want it, had begun it, or have it from before. */
export function membersByWish(
  one: Waved,
  { newest, pools = NONE, words = NONE, places = NONE, known = new Set(), placing = NONE, now: at = 0 }: Known,
): Map<string, RunMember[]> {
  const found = new Map<string, RunMember[]>()
  const add = (wish: string, member: RunMember) => {
    const members = found.get(wish)
    if (members) members.push(member)
    else found.set(wish, [member])
  }
  const mine = new Set(one.groups.map(({ id }) => id))
  // What is known is kept for seconds: a group may be gone since, or there.
  const away = [...words].flatMap(([id, last]) => {
    const [{ group }] = last as [GroupWord]
    const wave =
      group && !known.has(id) && !mine.has(id) ? waveOf(one, { place: places.get(id), group }, placing) : null
    return group && wave !== null ? last.map((word) => ({ word, group, wave })) : []
  })
  const spans = spansOf(
    one.groups.flatMap(({ id }) => newest.get(id) ?? []),
    [...one.groups.flatMap(({ id }) => words.get(id) ?? []), ...away.map(({ word }) => word)],
  )
  const spanIn = (wish: string): RunSpan => spans.get(wish) ?? { began: Infinity, exacts: new Set() }
  const say = (group: WavesGroup, word: GroupWord, stands: ReturnType<typeof standsWith>, lost: string) => {
    if (stands === null) return
    const { unfinished, through, detected } = word
    const exact = (stands.state === 'open' ? unfinished : (through ?? unfinished))?.exact ?? null
    const member = { ...group, change: null, exact, detected }
    const { settles, ...where } = stands
    add(word.wish, {
      ...member,
      ...(settles ? { since: at, settles: word.changeId } : {}),
      ...where,
      ...(stands.state === 'was' ? { lost } : {}),
    })
  }
  for (const known of one.groups) {
    const { id } = known
    const row = newest.get(id)
    const last = words.get(id) ?? []
    const group = { ...known, wave: staysIn(one, known.wave, places.get(id)) }
    if (!row) {
      for (const word of last)
        say(group, word, standsWith(word, word.absent, spanIn(word.wish)), lostWords(word.wish, word.absent))
      continue
    }
    const own = speaksItself(row) ? row.wish : null
    if (own !== null) add(own, group.unknown ? whereItWas(group, row) : wanting(group, row))
    const now = nowOf(row)
    const pool = pools.get(group.id) ?? []
    const had = hasNow(
      row,
      pool.filter(({ lost }) => lost === undefined),
    )
    for (const word of last) {
      const stands = word.wish === own ? null : standsWith(word, now, spanIn(word.wish))
      if (stands?.state === 'open') had.delete(word.wish)
      if (!had.has(word.wish)) say(group, word, stands, lostOf(word.wish, row, pool))
    }
    const have = `version ${row.version}`
    if (have !== own && !had.has(have) && !last.some(({ wish }) => wish === have)) {
      const stands = standsWith({ wish: have, through: null, unfinished: null }, now, spanIn(have))
      if (stands) had.set(have, stands)
      else if (!row.empty) add(have, { ...group, change: null, state: 'has', counts: countsWhen(row) })
    }
    for (const [wish, stands] of had) if (wish !== own) add(wish, { ...group, change: null, ...stands })
  }
  for (const { word, group, wave } of away) {
    const name = `${group.cluster}/${group.workloadCluster}/${group.name}`
    const member = { id: word.groupId, clusterId: group.clusterId, name, wave }
    say(member, word, standsWith(word, word.absent, spanIn(word.wish)), lostWords(word.wish, word.absent))
  }
  return found
}

/** Of each wish that is wanted, since when that is under way. */
export function spansOf(newest: Iterable<Newest>, words: readonly GroupWord[] = []): Map<string, RunSpan> {
  const wanted = new Map<string, Wanted[]>()
  const add = (wish: string, one: Wanted) => {
    const more = wanted.get(wish)
    if (more) more.push(one)
    else wanted.set(wish, [one])
  }
  for (const row of newest) {
    if (!speaksItself(row)) continue
    const to = isOpen(row.state) ? Infinity : (row.finishedAt?.getTime() ?? Infinity)
    add(row.wish!, { from: row.wishedAt.getTime(), to, exact: row.wishExact, now: true })
  }
  for (const { wish, wanted: from, through, unfinished } of words)
    if (wanted.has(wish)) add(wish, { from, to: unfinished?.over ?? through?.at ?? from, exact: null })
  const open = [...wanted].filter(([, all]) => all.some(({ to }) => to === Infinity))
  return new Map(open.map(([wish, all]) => [wish, spanOf(all)]))
}

export function nowOf(row: Newest): GroupNow {
  const { id, state, wish, version, settled, available, empty, unended, left, letSame, atHook } = row
  const wants = id !== null && isOpen(state)
  const was = { wish: letSame === false ? null : wish, atHook, ...(letSame === null ? { unsure: true as const } : {}) }
  return { ...{ version, settled, available, empty, unended, wants }, left: left ? was : null }
}

/** Why it counts no more that a group was through with this. */
function lostOf(wish: string, row: Newest, pool: readonly Had[]): string {
  const of = pool.find((had) => had.wish === wish)?.lost
  if (of !== undefined) return of
  const { id, state, version, toVersion, available, stands, moved } = row
  const open = id !== null && isOpen(state)
  const moves = open && (moved === true || !['waiting', 'rejected'].includes(state))
  return lostWords(wish, { version, toVersion, available, stands, open, moves, done: state === 'done' })
}

/** When a group counts for the version that it has from before. */
function countsWhen({ id, state, moved, settled }: Newest): string {
  if (id !== null && isOpen(state))
    return `${moved || !['waiting', 'rejected'].includes(state) ? 'its rollout' : 'what waits there besides'} is over`
  return settled ? 'all of its machines are available' : 'all of its machines are what it wants'
}

type Has = Stands & Pick<RunMember, 'exact'>

/**
 * What a group has that wants a newer version by now, and of which nothing has begun: what its last change brought, if that was
 * through, or the version that it had before there was any. Where it does not surely want a newer one it may be that it is to be
 * rid of what it has: then nothing. And what a pool has.
 */
function hasNow(row: Newest, pool: readonly Had[]): Map<string, Has> {
  const found = new Map<string, Has>(
    pool.toReversed().map(({ wish, exact, since }) => [wish, { state: 'through', exact, since }]),
  )
  const { stands, wish, fromVersion, toVersion, lastState, lastWish, lastAt } = row
  const [from, to] = [versionKey(fromVersion), versionKey(toVersion)]
  if (!stands || from === null || to === null || to <= from) return found
  if (lastState === null) found.set(`version ${fromVersion}`, { state: 'there' })
  if (lastState === 'done') {
    const since = lastAt ? { since: lastAt.getTime() } : {}
    for (const had of [`version ${fromVersion}`, lastWish])
      if (had !== null && had !== wish) found.set(had, { state: 'through', ...since })
  }
  return found
}

/** Once placed by this version of the policy it stays in its wave: others that come do not take its place. */
function wanting(group: WavesGroup, row: Newest): RunMember {
  const change = { id: row.id!, state: row.state, place: placeOf(row.wave), moved: row.moved === true }
  const member = { ...group, summary: row.summary, exact: row.wishExact, detected: row.detectedAt.getTime(), change }
  return isOpen(row.state)
    ? {
        ...member,
        state: 'open',
        at: standsAt(row, group),
        ...(row.nobody ? { nobody: true as const } : {}),
        ...hadBefore(row),
      }
    : { ...member, ...overIn(row) }
}

/** What holds for it is not known: it is waited for, and placed nowhere else meanwhile. */
const whereItWas = (group: WavesGroup, row: Newest): RunMember => ({
  ...{ ...group, exact: row.wishExact, change: null, detected: row.detectedAt.getTime() },
  ...(isOpen(row.state) ? { state: 'open', at: 'its labels are not known yet' } : overIn(row)),
})

/** What no machine is known to have begun with has tried nothing. */
const overIn = (row: Newest): Pick<RunMember, 'state' | 'since'> =>
  row.unmoved ? { state: 'none' } : { state: 'through', ...sinceOf(row) }

const sinceOf = ({ finishedAt }: Newest): { since?: number } => (finishedAt ? { since: finishedAt.getTime() } : {})

/** It is through with the same on another date, and nothing of it has begun once more. */
function hadBefore({ stands, wish, wishExact, detectedAt, lastState, lastWish, lastExact, lastAt }: Newest) {
  if (!stands || lastState !== 'done' || lastWish !== wish || !lastAt || lastAt >= detectedAt) return {}
  if (wishExact === null || lastExact === null || lastExact === wishExact) return {}
  return { had: { exact: lastExact, since: lastAt.getTime() } }
}

function standsAt(row: Newest, { asksNobody }: Pick<WavesGroup, 'asksNobody'>): string {
  const { state, dueMode, pausedAt, stoppedAt, stoppedBy, settling, stepWaitsAt, moved, nobody, theirs, overrideBy } =
    row
  if (stoppedAt) return stoppedBy === '' ? 'done only if somebody says so' : 'stopped by itself'
  if (pausedAt) return 'paused'
  if (stepWaitsAt) return 'its next machine waits for somebody'
  if (state === 'rejected' || state === 'stuck') return state
  if (state !== 'waiting' && theirs) return PAUSED_AND[theirs]
  if (state !== 'waiting' && settling) return 'updated, and not Ready yet'
  if (state !== 'waiting') return overrideBy ? `under way, ${overrideBy} had it not wait` : 'under way'
  // Approved and held on its way is no plain "approved": some of its machines are through.
  if (moved) return dueMode ? 'begun, and held on its way' : 'begun, and waiting for approval'
  if (dueMode) return APPROVED
  if (nobody) return 'held, and no machine of it waits'
  // Whether it goes by itself then is told on its own page.
  return asksNobody ? 'held, its policy asks nobody' : 'waiting for approval'
}
