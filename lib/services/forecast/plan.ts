import type { Change } from '@/lib/db/generated/client'
import { POOL } from '@/lib/domain/latch/hold'
import type { PoolTurns } from '@/lib/domain/pools/turns'
import {
  estimate,
  medianGap,
  medians,
  thinned,
  type Estimate,
  type Frame,
  type Move,
  type Work,
} from '@/lib/domain/rollout/forecast'
import { measured, type Basis, type Timed } from './durations'
import type { RolloutShape } from '@/lib/providers/cluster-api'
import { behindNow, NONE_BEHIND } from './behind'
import { outlookIn } from '../changes/change-row'
import { rolloutOf, type Played } from './input'
import { poolRolloutOf } from './pool-rollout'

/** What is foretold of a rollout; times are milliseconds from its start. */
export interface Plan {
  way: 'in-place' | 'replace'
  /** By when they begin, at most MOST_MOVES of `moving`. New machines are named m1, m2, …: nobody knows their names yet. */
  moves: Move[]
  moving: number
  frames: Frame[]
  /** Null: with the strategy OnDelete it is up to those who delete how many are missing at once. */
  floor: number | null
  lowest: number | null
  start: number
  most: number
  /** With median durations; null: it does not end by itself. */
  ends: number | null
  stalled?: string
  /** The date before which nothing of it moves; absent: it begins as soon as it may. */
  notBefore?: string
  /** Machines whose updaters are done, and that are not what is wanted: none of `done`. Absent: none. */
  behind?: string[]
  /** Machines that were updated, and are not well yet: each is an update from the start on. Absent: none. */
  returning?: string[]
  estimate: Estimate | null
  /** What the durations of each kind of work rest on, and what lies between; only of what there is. */
  basis: Partial<Record<Timed, Basis>>
  /** Machines that stay and change: also those that come through two updates, and not those that are deleted after one. */
  updated: number
  created: number
  deleted: number
  /** Of a pool. */
  pool?: PoolTurns
}

/** More is drawn as counts: nobody follows so many by name. */
const MOST_MOVES = 500
const MOST_FRAMES = 240

export interface Planned {
  plan: Plan
  /** Of its numbers: what was under way before, which nobody approves. */
  before: { updated: number; created: number; deleted: number }
  /** What is foretold of each machine that is there: names of those that stay and change, and of those that go. */
  updated: string[]
  deleted: string[]
  /** Names of machines that may change places: some stay and some go, and which of them is up to no rule. */
  ties: string[][]
}

/** Plays a change forward as approved this way. Null: its group is not there any more, or nothing is known of how it goes. */
export async function planOf(
  change: Played & Pick<Change, 'toVersion'>,
  way: Plan['way'],
  { now = Date.now(), wanted }: { now?: number; wanted?: RolloutShape } = {},
): Promise<Planned | null> {
  const isPool = change.groupKind === POOL
  // A configuration replaces no node.
  if (isPool && way === 'replace') return null
  const [rollout, { durations, basis }, behind] = await Promise.all([
    isPool ? poolRolloutOf(change) : rolloutOf(change, way, now, wanted),
    measured({
      ...{ clusterId: change.clusterId, groupId: change.groupId, groupKind: change.groupKind },
      version: change.toVersion !== null,
      ...(isPool ? { does: outlookIn(change).pool?.effect?.does ?? null } : {}),
    }),
    change.id ? behindNow(change.id, now) : NONE_BEHIND,
  ])
  if (!rollout) return null
  const { moves, frames: played, ...rest } = rollout.play(medians(durations), medianGap(durations))
  const works: Timed[] = [...new Set(moves.map(({ work }) => work)), ...(moves.length > 1 ? (['gap'] as const) : [])]
  const names = (work: Work) =>
    moves.filter((m) => m.work === work && rollout.there.has(m.machine)).map((m) => m.machine)
  const deleted = new Set(names('delete'))
  const updated = [...new Set(names('update'))].filter((name) => !deleted.has(name))
  const stay = new Set(updated)
  // Nothing else is left to move, or it takes longer than a node takes to report.
  const stalled = behind.late || moves.length === 0 ? behind.words : null
  const frames = played.map((frame) => ({ ...frame, done: Math.max(0, frame.done - behind.names.length) }))
  const count = (work: Work) => moves.filter((m) => m.work === work).length
  return {
    plan: {
      ...{ way, moves: moves.slice(0, MOST_MOVES), moving: moves.length, frames: thinned(frames, MOST_FRAMES) },
      ...rest,
      ...(rollout.notBefore ? { notBefore: rollout.notBefore } : {}),
      ...(rollout.onDelete ? { floor: null, lowest: null } : {}),
      estimate: stalled ? null : estimate(rollout.play, durations),
      ...(behind.names.length > 0 ? { behind: behind.names } : {}),
      ...(rollout.returning.length > 0 ? { returning: rollout.returning } : {}),
      ...(stalled ? { ends: null, stalled } : {}),
      ...(rollout.pool ? { pool: rollout.pool } : {}),
      basis: Object.fromEntries(works.map((work) => [work, basis[work]])),
      ...{ updated: updated.length, created: count('create'), deleted: count('delete') },
    },
    before: begunOf(moves.filter(({ machine }) => rollout.underWay.has(machine))),
    updated,
    deleted: [...deleted],
    ties: deleted.size === 0 ? [] : rollout.ties.filter((names) => areSwapped(names, deleted, stay)),
  }
}

/** Some of them go, and others stay. */
const areSwapped = (names: readonly string[], go: ReadonlySet<string>, stay: ReadonlySet<string>): boolean =>
  names.length <= MOST_MOVES && names.some((name) => go.has(name)) && names.some((name) => stay.has(name))

/** What each of these machines is at: its first move. One that is updated again afterwards counts with what is approved. */
function begunOf(moves: readonly Move[]): Planned['before'] {
  const first = [...new Map(moves.toReversed().map((move) => [move.machine, move])).values()]
  const of = (work: Work) => first.filter((move) => move.work === work && move.from === 0).length
  const again = (one: Move) =>
    moves.some((move) => move !== one && move.machine === one.machine && move.work === 'update')
  const updated = first.filter((move) => move.work === 'update' && move.from === 0 && !again(move)).length
  return { updated, created: of('create'), deleted: of('delete') }
}
