import type { Tx } from '@/lib/db/client'
import { wavesAt, type Member, type WaveState } from '@/lib/domain/waves'
import { anyWaves, type Waved, type WavedGroup } from './membership'
import { placeOf, type Place } from './place'

export interface RunMember extends Member {
  clusterId: string
  /** Index of its wave. */
  wave: number
  /** Its change, where it wants what the run wants, and where that was placed. */
  change: { id: string; state: string; place: Place | null } | null
}

/** All changes with one wish under one policy: they go through its waves together. */
export interface Run {
  policy: { id: string; name: string; version: number }
  wish: string
  /** Of one of its changes. */
  summary: string
  waves: WaveState[]
  stopped: { by: string; reason: string | null; at: string; words: string } | null
  members: RunMember[]
}

interface Newest {
  groupId: string
  /** What the group wants now. */
  version: string | null
  /** Null: there never was a change. */
  id: string | null
  state: string
  wish: string | null
  summary: string
  finishedAt: Date | null
  dueMode: string | null
  pausedAt: Date | null
  stoppedAt: Date | null
  wave: unknown
}

const OPEN = ['waiting', 'rejected', 'approved', 'running', 'stuck']
export const isOpen = (state: string): boolean => OPEN.includes(state)

/** A group's newest change says where it is: what it wanted before that, it may have taken back. */
const NEWEST = `
SELECT g.id::text AS "groupId", g.version, c.* FROM machine_group g LEFT JOIN LATERAL (
  SELECT id, state, wish, summary, finished_at AS "finishedAt", due_mode AS "dueMode", paused_at AS "pausedAt",
    stopped_at AS "stoppedAt", wave
  FROM change WHERE cluster_id = g.cluster_id AND group_id = g.id ORDER BY detected_at DESC, id LIMIT 1
) c ON true WHERE g.id = ANY($1::uuid[])`

/** Every run that has a change which is not over. `membership`: fresh, or kept for seconds; `only`: of this policy and wish. */
export async function runsNow(
  tx: Tx,
  membership: (tx: Tx) => Promise<Waved[]>,
  only?: { policyId: string; wish: string },
): Promise<Run[]> {
  if (!(await anyWaves(tx))) return []
  const open = await tx.change.findMany({
    where: { state: { in: OPEN }, wish: only?.wish ?? { not: null } },
    select: { groupId: true, wish: true },
  })
  if (open.length === 0) return []
  const wished = new Map(open.map(({ groupId, wish }) => [groupId, wish!]))
  const waved = (await membership(tx)).filter(
    ({ policy, groups }) => (!only || policy.id === only.policyId) && groups.some(({ id }) => wished.has(id)),
  )
  if (waved.length === 0) return []
  const ids = waved.flatMap(({ groups }) => groups.map(({ id }) => id))
  const [newest, words] = await Promise.all([
    tx.$queryRawUnsafe<Newest[]>(NEWEST, ids),
    tx.waveWord.findMany({ where: { policyId: { in: waved.map(({ policy }) => policy.id) }, endedAt: null } }),
  ])
  const byGroup = new Map(newest.map((row) => [row.groupId, row]))
  return waved.flatMap((one) => {
    const wishes = new Set(one.groups.flatMap(({ id }) => wished.get(id) ?? []))
    return [...wishes].sort().map((wish) => {
      const said = words.filter((word) => word.policyId === one.policy.id && word.wish === wish)
      return runOf(one, wish, byGroup, said, Date.now())
    })
  })
}

type Word = Awaited<ReturnType<Tx['waveWord']['findMany']>>[number]

function runOf(
  { policy, waves, groups }: Waved,
  wish: string,
  newest: ReadonlyMap<string, Newest>,
  words: readonly Word[],
  now: number,
): Run {
  const members = groups.map((group) => memberOf(group, wish, newest.get(group.id)))
  const byWave: RunMember[][] = waves.map(() => [])
  for (const member of members) byWave[member.wave]!.push(member)
  const of = (what: string) => words.filter((word) => word.what === what)
  const skipped = of('skip').map(({ wave, at }): [string, number] => [wave ?? '', at.getTime()])
  const said = { begun: new Set(of('begin').map(({ wave }) => wave ?? '')), skipped: new Map(skipped) }
  const [stop] = of('stop')
  const why = stop?.reason ? ` (${stop.reason})` : ''
  return {
    ...{ policy, wish, members },
    summary: newest.get(members.find(({ change }) => change)?.id ?? '')?.summary ?? wish,
    waves: wavesAt(waves, byWave, said, now),
    stopped: stop
      ? {
          ...{ by: stop.actorName, reason: stop.reason, at: stop.at.toISOString() },
          words: `its waves were stopped by ${stop.actorName}${why}`,
        }
      : null,
  }
}

function memberOf(
  { id, clusterId, name, wave }: WavedGroup & { wave: number },
  wish: string,
  newest?: Newest,
): RunMember {
  const where = { id, clusterId, name, wave }
  const version = newest?.version ?? null
  const there = version !== null && wish === `version ${version}` ? 'there' : 'none'
  if (!newest?.id || newest.wish !== wish || !(isOpen(newest.state) || newest.state === 'done'))
    return { ...where, change: null, state: there }
  const change = { id: newest.id, state: newest.state, place: placeOf(newest.wave) }
  if (isOpen(newest.state)) return { ...where, change, state: 'open', at: standsAt(newest) }
  return { ...where, change, state: 'through', ...(newest.finishedAt ? { since: newest.finishedAt.getTime() } : {}) }
}

function standsAt({ state, dueMode, pausedAt, stoppedAt }: Newest): string {
  if (stoppedAt) return 'stopped by itself'
  if (pausedAt) return 'paused'
  if (state === 'rejected' || state === 'stuck') return state
  if (state !== 'waiting') return 'under way'
  return dueMode ? 'approved' : 'waiting for approval'
}
