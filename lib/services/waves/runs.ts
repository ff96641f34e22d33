import type { Tx } from '@/lib/db/client'
import type { WaveWord } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import {
  byWave,
  exactly,
  isVersion,
  soakOf,
  tallyOf,
  together,
  wavesBy,
  type Tally,
  type Wanting,
  type WaveState,
} from '@/lib/domain/waves'
import { OPEN } from '../changes/states'
import { anyPolicySays } from '../policies/rules-for'
import { lastPlaces } from './last-places'
import { lastWords } from './last-words'
import type { Membership, Waved } from './membership'
import { newestOf, type Newest } from './newest'
import { namedFirst, notAllowedAmong, saidNotAllowed } from './not-allowed'
import { poolsHave } from './pools-have'
import { membersByWish, spansOf, summaryOf, type RunMember } from './run-members'
import { withUnknown } from './where'
import { saidOf, type SaidOfWaves } from './said'

/** All changes with one wish under one policy: they go through its waves together. */
export interface Run {
  policy: { id: string; name: string; version: number }
  wish: string
  summary: string
  /** As all of its groups see them, in one look. */
  waves: WaveState[]
  /** As they stand for one of its groups that are not through: by what exactly it wants. */
  wavesFor(member: Wanting): readonly WaveState[]
  stopped: { by: string; reason: string | null; at: string; words: string } | null
  /** Of each wave, what words about it are bound to. */
  bounds: string[]
  said: SaidOfWaves
  /** Groups that want it, or have it from before. */
  members: RunMember[]
  /** The words of people that have not ended, by their ids. */
  words: string[]
}

/**
 * Every run that has a change which is not over. `membership`: fresh, or kept for seconds; `only`: of this policy and wish, `asIf`
 * somebody had said this of it.
 */
export async function runsNow(
  tx: Tx,
  membership: (tx: Tx) => Promise<Membership>,
  only?: { policyId: string; wish: string; asIf?: WaveWord },
): Promise<Run[]> {
  if (!(await anyPolicySays(tx, 'waves'))) return []
  const where = { state: { in: OPEN }, wish: only?.wish ?? { not: null } }
  if ((await tx.change.count({ where })) === 0) return []
  const { waved: every, known, unknown, placing } = await membership(tx)
  const waved = every.filter(({ policy }) => !only || policy.id === only.policyId)
  if (waved.length === 0) return []
  const ids = [...waved.flatMap(({ groups }) => groups), ...unknown].map(({ id }) => id)
  // Who is there is asked first: of what is gone a moment later the last words are known.
  const newest = await newestOf(tx, ids)
  const pools = await poolsHave(tx, ids)
  const now = (await databaseNow(tx)).getTime()
  const words = await lastWords(tx, wantedSince(newest, waved, now, only?.wish), newest)
  const waited = [...words].flatMap(([id, last]) =>
    last.some(({ group, unfinished }) => group ?? unfinished) ? [id] : [],
  )
  const places = await lastPlaces(tx, newest, [...waited, ...unknown.map(({ id }) => id)])
  const policyIds = waved.map(({ policy }) => policy.id)
  const said = await tx.waveWord.findMany({ where: { policyId: { in: policyIds }, endedAt: null } })
  const spoken = only?.asIf ? [...said, only.asIf] : said
  const runs = waved.flatMap((sure) => {
    const one = withUnknown(sure, unknown, { places, placing })
    const byWish = membersByWish(one, { newest, pools, words, places, known, placing, now })
    const there = new Set(one.groups.map(({ id }) => id))
    const all = one.waves.map(() => 0)
    for (const { wave } of one.groups) all[wave]!++
    return [...byWish]
      .filter(
        ([wish, members]) =>
          (!only || wish === only.wish) && members.some(({ state, change }) => state === 'open' && change !== null),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([wish, members]) => {
        const words = spoken.filter((word) => word.policyId === one.policy.id && word.wish === wish)
        const sizes = [...all]
        for (const { id, wave, state } of members) if (!there.has(id) && state === 'open') sizes[wave]!++
        const said = saidOf(words, one, isVersion(wish) ? undefined : newestKnown(members))
        return { one, wish, members, sizes, words, said }
      })
  })
  // Those that wait for it are not told of an approval that nobody can give.
  const not = await notAllowedAmong(
    tx,
    runs.flatMap(({ one, members, said }) => namedFirst(members, one.waves, said.skipped)),
  )
  return runs.map(({ members, ...run }) => {
    const told = members.map((member) => (member.change && not.has(member.change.id) ? saidNotAllowed(member) : member))
    return runOf({ ...run, members: told }, now)
  })
}

/**
 * What is wanted, and since when it matters that a group was through with it: a version whenever that was; what is wanted again and
 * again in the run that is under way, or while it soaks.
 */
function wantedSince(newest: ReadonlyMap<string, Newest>, waved: readonly Waved[], now: number, only?: string) {
  const soaks = now - Math.max(...waved.flatMap(({ waves }) => waves.map(soakOf)))
  const spans = [...spansOf(newest.values())].filter(([wish]) => only === undefined || wish === only)
  return new Map(spans.map(([wish, { began }]) => [wish, isVersion(wish) ? null : new Date(Math.min(began, soaks))]))
}

interface Found {
  one: Waved
  wish: string
  members: RunMember[]
  /** How many groups are in each wave. */
  sizes: number[]
  words: readonly WaveWord[]
  said: SaidOfWaves
}

function runOf({ one: { policy, waves, bounds }, wish, members, sizes, words, said }: Found, now: number): Run {
  // Of the run, however its waves are written.
  const stop = words.find(({ what }) => what === 'stop')
  return {
    ...{ policy, wish, bounds, said, words: words.map(({ id }) => id).sort() },
    ...standing(wish, members, waves.length, now, (tallies) => wavesBy(waves, tallies, sizes, said.words, now)),
    summary: summaryOf(wish, members),
    stopped: stop
      ? {
          ...{ by: stop.actorName, reason: stop.reason, at: stop.at.toISOString() },
          words: stoppedWords(stop.actorName, stop.reason),
        }
      : null,
  }
}

/** Since when the newest is known that is wanted by somebody, and is not through. */
const newestKnown = (members: readonly RunMember[]): number =>
  Math.max(
    -Infinity,
    ...members.flatMap(({ state, change, detected }) => (state === 'open' && change ? (detected ?? []) : [])),
  )

/** A version is the whole wish: who has it has what all others want. */
function standing(
  wish: string,
  all: RunMember[],
  waves: number,
  now: number,
  judge: (tallies: readonly Tally[]) => WaveState[],
): Pick<Run, 'members' | 'waves' | 'wavesFor'> {
  const stand = (members: RunMember[]) => judge(byWave(members, waves).map((some) => tallyOf(some, now)))
  if (wish.startsWith('version ')) {
    const found = stand(all)
    return { members: all, waves: found, wavesFor: () => found }
  }
  const { of, counted } = exactly(all, waves, judge, now)
  const members = all.filter((member) => member.state !== 'through' || counted.has(member))
  return {
    ...{ members, waves: together(stand(members), members, of) },
    wavesFor: ({ exact = null }) => of.get(exact)!,
  }
}

export const stoppedWords = (by: string, reason: string | null): string =>
  `its waves were stopped by ${by}${reason ? ` (${reason})` : ''}`
