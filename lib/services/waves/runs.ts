import type { Tx } from '@/lib/db/client'
import type { WaveWord } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import {
  byWave,
  exactly,
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
import { addLeft, leftInWaves, withUnknown } from './left'
import type { Membership, Waved } from './membership'
import { newestOf } from './newest'
import { poolsHave } from './pools-have'
import { membersByWish, type RunMember } from './run-members'
import { triedOf, wishedSince } from './tried'
import { saidOf, type SaidOfWaves } from './said'

/** All changes with one wish under one policy: they go through its waves together. */
export interface Run {
  policy: { id: string; name: string; version: number }
  wish: string
  /** Of one of its changes. */
  summary: string
  /** As all of its groups see them, in one look. */
  waves: WaveState[]
  /** As they stand for one of its groups that are not through: by what exactly it wants. */
  wavesFor(member: Wanting): readonly WaveState[]
  stopped: { by: string; reason: string | null; at: string; words: string } | null
  /** Of each wave, how long it soaks, in milliseconds. */
  soaks: number[]
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
  const { waved: every, known, unknown } = await membership(tx)
  const waved = every.filter(({ policy }) => !only || policy.id === only.policyId)
  if (waved.length === 0) return []
  const ids = [...waved.flatMap(({ groups }) => groups), ...unknown].map(({ id }) => id)
  const newest = await newestOf(tx, ids)
  const pools = await poolsHave(tx, ids)
  const wanted = wishedSince(newest.values())
  const tried = await triedOf(tx, newest, wanted)
  const places = await lastPlaces(
    tx,
    unknown.map(({ id }) => id),
  )
  const left = await leftInWaves(tx, only ? [only.wish] : [...wanted.keys()])
  const policyIds = waved.map(({ policy }) => policy.id)
  const said = await tx.waveWord.findMany({ where: { policyId: { in: policyIds }, endedAt: null } })
  const words = only?.asIf ? [...said, only.asIf] : said
  const now = (await databaseNow(tx)).getTime()
  return waved.flatMap((sure) => {
    const one = withUnknown(sure, unknown, places)
    const byWish = membersByWish(one, newest, pools, tried)
    addLeft(byWish, one, left, { newest, known })
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
        const said = words.filter((word) => word.policyId === one.policy.id && word.wish === wish)
        const sizes = [...all]
        for (const { id, wave } of members) if (!there.has(id)) sizes[wave]!++
        return runOf(one, { wish, members, sizes }, said, now)
      })
  })
}

function runOf(
  { policy, waves, bounds }: Waved,
  { wish, members, sizes }: { wish: string; members: RunMember[]; sizes: number[] },
  words: readonly WaveWord[],
  now: number,
): Run {
  const said = saidOf(words, { waves, bounds })
  // Of the run, however its waves are written.
  const stop = words.find(({ what }) => what === 'stop')
  return {
    soaks: waves.map(soakOf),
    ...{ policy, wish, bounds, said, words: words.map(({ id }) => id).sort() },
    ...standing(wish, members, waves.length, now, (tallies) => wavesBy(waves, tallies, sizes, said.words, now)),
    summary: members.find(({ state, change }) => state === 'open' && change !== null)?.summary ?? wish,
    stopped: stop
      ? {
          ...{ by: stop.actorName, reason: stop.reason, at: stop.at.toISOString() },
          words: stoppedWords(stop.actorName, stop.reason),
        }
      : null,
  }
}

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
