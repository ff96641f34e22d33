import type { Tx } from '@/lib/db/client'
import type { WaveWord } from '@/lib/db/generated/client'
import { versionKey } from '@/lib/domain/version'
import {
  byWave,
  exactly,
  tallyOf,
  together,
  wavesBy,
  type Tally,
  type Wanting,
  type WaveState,
} from '@/lib/domain/waves'
import { OPEN, OPEN_SQL } from '../changes/states'
import { anyPolicySays } from '../policies/rules-for'
import type { Waved, WavedGroup } from './membership'
import { placeOf, type Place } from './place'
import { saidOf, type SaidOfWaves } from './said'

export interface RunMember extends Wanting {
  clusterId: string
  /** Its change, where it wants what the run wants, and where that was placed. */
  change: { id: string; state: string; place: Place | null; moved: boolean } | null
  summary?: string
}

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
  /** Of each wave, what words about it are bound to. */
  bounds: string[]
  said: SaidOfWaves
  /** Groups that want it, or have it from before. */
  members: RunMember[]
  /** The words of people that have not ended, by their ids. */
  words: string[]
}

interface Newest {
  groupId: string
  /** What the group wants now. */
  version: string | null
  /** All of its machines are what it wants. */
  settled: boolean
  /** Null: there never was a change. */
  id: string | null
  state: string
  wish: string | null
  wishExact: string | null
  detectedAt: Date
  summary: string
  finishedAt: Date | null
  dueMode: string | null
  pausedAt: Date | null
  stoppedAt: Date | null
  stepWaitsAt: Date | null
  wave: unknown
  /** Of what is open: machines have begun. */
  moved: boolean | null
  /** Of what has not begun, and whose machines are all of one revision with every one of them available. */
  stands: boolean
  fromVersion: string | null
  toVersion: string | null
  /** Of what stands: the change before it that began at last. */
  lastState: string | null
  lastWish: string | null
  lastExact: string | null
  lastAt: Date | null
}

export const isOpen = (state: string): boolean => OPEN.includes(state)

const moved = (change: string): string =>
  `EXISTS (SELECT 1 FROM machine_progress WHERE change_id = ${change}.id AND started_at IS NOT NULL)`

/** Whether anything of a change was ever let go, or moved. */
const began = (change: string): string => `(${change}.state IN ('approved', 'running', 'stuck', 'done')
  OR EXISTS (SELECT 1 FROM decision WHERE change_id = ${change}.id AND mode <> 'reject' AND sent_at IS NOT NULL)
  OR ${moved(change)})`

/** A group's newest change says where it is: what it wanted before that, it may have taken back. */
const NEWEST = `
SELECT g.id::text AS "groupId", g.version, g.observed_generation >= g.generation AND g.held IS NULL AND NOT g.rolling_out
  AND g.desired_replicas > 0 AND g.up_to_date_replicas >= g.desired_replicas AS settled,
  coalesce(c."notBegun" AND g.desired_replicas > 0 AND g.available_replicas >= g.desired_replicas, false) AS stands,
  c.*, last.* FROM machine_group g LEFT JOIN LATERAL (
  SELECT id, state, wish, wish_exact AS "wishExact", detected_at AS "detectedAt", summary, finished_at AS "finishedAt", due_mode AS "dueMode", paused_at AS "pausedAt",
    stopped_at AS "stoppedAt", step_waits_at AS "stepWaitsAt", wave, from_version AS "fromVersion", to_version AS "toVersion",
    CASE WHEN state IN (${OPEN_SQL}) THEN ${moved('newest')} END AS moved,
    CASE WHEN state NOT IN ('waiting', 'rejected') OR ${began('newest')} THEN false
      ELSE jsonb_array_length(change_set->'pairs') = 1 END AS "notBegun"
  FROM change newest WHERE cluster_id = g.cluster_id AND group_id = g.id ORDER BY detected_at DESC, id LIMIT 1
) c ON true LEFT JOIN LATERAL (
  SELECT state AS "lastState", wish AS "lastWish", wish_exact AS "lastExact", finished_at AS "lastAt" FROM change before
  WHERE c."notBegun" AND cluster_id = g.cluster_id AND group_id = g.id AND id <> c.id AND ${began('before')}
  ORDER BY detected_at DESC, id LIMIT 1
) last ON true WHERE g.id = ANY($1::uuid[])`

/** Every run that has a change which is not over. `membership`: fresh, or kept for seconds; `only`: of this policy and wish. */
export async function runsNow(
  tx: Tx,
  membership: (tx: Tx) => Promise<Waved[]>,
  only?: { policyId: string; wish: string },
): Promise<Run[]> {
  if (!(await anyPolicySays(tx, 'waves'))) return []
  const where = { state: { in: OPEN }, wish: only?.wish ?? { not: null } }
  if ((await tx.change.count({ where })) === 0) return []
  const waved = (await membership(tx)).filter(({ policy }) => !only || policy.id === only.policyId)
  if (waved.length === 0) return []
  const ids = waved.flatMap(({ groups }) => groups.map(({ id }) => id))
  const newest = await tx.$queryRawUnsafe<Newest[]>(NEWEST, ids)
  const policyIds = waved.map(({ policy }) => policy.id)
  const words = await tx.waveWord.findMany({ where: { policyId: { in: policyIds }, endedAt: null } })
  const byGroup = new Map(newest.map((row) => [row.groupId, row]))
  const now = Date.now()
  return waved.flatMap((one) => {
    const sizes = one.waves.map(() => 0)
    for (const { wave } of one.groups) sizes[wave]!++
    return [...membersByWish(one, byGroup)]
      .filter(([wish, members]) => (!only || wish === only.wish) && members.some(({ state }) => state === 'open'))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([wish, members]) => {
        const said = words.filter((word) => word.policyId === one.policy.id && word.wish === wish)
        return runOf(one, { wish, members, sizes }, said, now)
      })
  })
}

/** Of each wish, the groups that want it, or have it from before; those that want something else are in none of them. */
function membersByWish({ policy, groups }: Waved, newest: ReadonlyMap<string, Newest>): Map<string, RunMember[]> {
  const found = new Map<string, RunMember[]>()
  const add = (wish: string, member: RunMember) => {
    const members = found.get(wish)
    if (members) members.push(member)
    else found.set(wish, [member])
  }
  for (const group of groups) {
    const row = newest.get(group.id)
    if (!row) continue
    const counts = row.id !== null && row.wish !== null && (isOpen(row.state) || row.state === 'done')
    if (counts) add(row.wish!, wanting(policy, group, row))
    const settled = row.settled && row.version !== null && !(row.id !== null && isOpen(row.state))
    const have = `version ${row.version}`
    if (settled && !(counts && row.wish === have)) add(have, { ...group, change: null, state: 'there' })
    for (const [wish, stands] of hasNow(row)) add(wish, { ...group, change: null, ...stands })
  }
  return found
}

/**
 * What a group has that wants a newer version by now, and of which nothing has begun: what its last change brought, if that was
 * through, or the version that it had before there was any. Where it does not surely want a newer one it may be that it is to be
 * rid of what it has: then nothing.
 */
function hasNow(row: Newest): Map<string, Pick<RunMember, 'state' | 'since'>> {
  const found = new Map<string, Pick<RunMember, 'state' | 'since'>>()
  const { stands, wish, fromVersion, toVersion, lastState, lastWish, lastAt } = row
  const [from, to] = [versionKey(fromVersion), versionKey(toVersion)]
  if (!stands || from === null || to === null || to <= from) return found
  if (lastState === null) found.set(`version ${fromVersion}`, { state: 'there' })
  if (lastState === 'done') {
    const since = lastAt ? { since: lastAt.getTime() } : {}
    for (const had of [`version ${fromVersion}`, lastWish])
      if (had !== null) found.set(had, { state: 'through', ...since })
  }
  if (wish !== null) found.delete(wish)
  return found
}

/** Once placed by this version of the policy it stays in its wave: others that come do not take its place. */
function wanting({ id, version }: Waved['policy'], group: WavedGroup & { wave: number }, row: Newest): RunMember {
  const place = placeOf(row.wave)
  const wave = place?.policyId === id && place.version === version ? place.index : group.wave
  const change = { id: row.id!, state: row.state, place, moved: row.moved === true }
  const member = { ...group, wave, summary: row.summary, exact: row.wishExact, change }
  if (isOpen(row.state))
    return { ...member, state: 'open', at: standsAt(row), detected: row.detectedAt.getTime(), ...hadBefore(row) }
  return { ...member, state: 'through', ...(row.finishedAt ? { since: row.finishedAt.getTime() } : {}) }
}

/** It is through with the same on another date, and nothing of it has begun once more. */
function hadBefore({ stands, wish, wishExact, detectedAt, lastState, lastWish, lastExact, lastAt }: Newest) {
  if (!stands || lastState !== 'done' || lastWish !== wish || !lastAt || lastAt >= detectedAt) return {}
  if (wishExact === null || lastExact === null || lastExact === wishExact) return {}
  return { had: { exact: lastExact, since: lastAt.getTime() } }
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
    ...{ policy, wish, bounds, said, words: words.map(({ id }) => id).sort() },
    ...standing(wish, members, waves.length, now, (tallies) => wavesBy(waves, tallies, sizes, said.words, now)),
    summary: members.find(({ state }) => state === 'open')?.summary ?? wish,
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

function standsAt({ state, dueMode, pausedAt, stoppedAt, stepWaitsAt }: Newest): string {
  if (stoppedAt) return 'stopped by itself'
  if (pausedAt) return 'paused'
  if (stepWaitsAt) return 'its next machine waits for somebody'
  if (state === 'rejected' || state === 'stuck') return state
  if (state !== 'waiting') return 'under way'
  return dueMode ? 'approved' : 'waiting for approval'
}
