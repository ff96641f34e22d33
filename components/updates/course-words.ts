import { duration } from '@/components/ui/time-words'
import type { HullCell, HullData } from '@/lib/domain/hull'
import { awaitedWords } from '@/lib/domain/pools/awaited'
import type { Frame, Move, Work } from '@/lib/domain/rollout/forecast/types'
import { didWords, stuckBeside, takenAway, type TheirPause } from '@/lib/domain/their-pause'
import type { Awaited } from '@/lib/services/changes/awaited-nodes'
import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { ChangeMachine } from '@/lib/services/changes/get-change'
import type { Basis } from '@/lib/services/forecast/durations'
import type { Plan } from '@/lib/services/forecast/plan'
import { frameAt, underWayAt } from './course-at'
import { LET_GO } from './words'

const machines = (n: number): string => `${n} machine${n === 1 ? '' : 's'}`

/** "About 34 to 51 min." */
export function lasts(
  {
    estimate,
    stalled,
    notBefore,
    basis = {},
  }: Pick<Plan, 'estimate' | 'stalled' | 'notBefore'> & Partial<Pick<Plan, 'basis'>>,
  now = Date.now(),
): string {
  if (!estimate) return stalled ?? 'It does not end by itself.'
  const [from, to] = [duration(roughly(estimate.p50)), duration(roughly(estimate.p90))]
  // Of a guess nobody knows in how many cases it comes true.
  const upTo = isGuess(basis) ? `or as long as ${to}` : `in nine of ten cases at most ${to}`
  const words = from === to ? `bout ${from}.` : `bout ${from}, ${upTo}.`
  if (!notBefore) return `A${words}`
  const when = Date.parse(notBefore) > now ? `Nothing moves before ${notBefore}` : `${notBefore} is over`
  return `${when}; Cluster API looks again within some ten minutes of it. From then on: a${words}`
}

/** No more exact than it can be meant. */
export function roughly(ms: number): number {
  const step = ms < 60_000 ? 1_000 : ms < 600_000 ? 30_000 : 60_000
  return Math.round(ms / step) * step
}

/** What lies between machines is measured with them. */
const worksOf = (basis: Plan['basis']): Basis[] =>
  Object.entries(basis).flatMap(([work, b]) => (work === 'gap' ? [] : [b]))

const isGuess = (basis: Plan['basis']): boolean => {
  const works = worksOf(basis)
  return works.length > 0 && works.every(({ from }) => from === 'guess')
}

/** What the times rest on: the weakest of the kinds of work that there are. */
export function restsOn(basis: Plan['basis']): string {
  const all = Object.values(basis)
  const guessed = all.filter(({ from }) => from === 'guess').length
  if (all.length === 0) return ''
  const works = worksOf(basis)
  const sum = (of: readonly Basis[]) => of.reduce((n, b) => n + b.machines, 0)
  if (isGuess(basis)) {
    const few = sum(works)
    const why = few > 0 ? `only ${machines(few)} of this group ${few === 1 ? 'was' : 'were'} measured before` : NONE
    return `The times are a guess: ${why}.`
  }
  const measured = sum(works.filter(({ from }) => from !== 'guess'))
  const whose = all.some((b: Basis) => b.from === 'cluster') ? 'groups of this management cluster' : 'this group'
  return guessed > 0
    ? `The times are partly a guess: only some of the work was measured before (${machines(measured)} of ${whose}).`
    : `The times are those of ${machines(measured)} of ${whose} before.`
}

const NONE = 'no such machine has been measured here yet'

export function roomFor({
  lowest,
  floor,
  most,
  start,
  frames,
}: Pick<Plan, 'lowest' | 'floor' | 'most' | 'start' | 'frames'>): string {
  if (lowest === null || floor === null) return ''
  const spare = most - start
  const beyond = most - (frames.at(-1)?.machines ?? most)
  const low = lowest < floor ? `${lowest}, below the floor of ${floor}: ${whyLow(start, frames[0])}` : `${lowest}`
  const room =
    spare > 0
      ? `It needs room for ${machines(spare)} more than there are.`
      : beyond > 0
        ? `It needs no more room than it has now: ${machines(beyond)} more than in the end.`
        : 'It needs no spare capacity.'
  return `Available at the lowest: ${low}. ${room}`
}

/** The controllers undercut no floor: what is below it is so before anything moves. */
function whyLow(start: number, first: Frame | undefined): string {
  return first && first.available >= start ? 'fewer are there already' : 'some are not available already'
}

/**
 * How it fares against what was foretold: how many should be through by now, and how many are. Late is only what takes
 * longer than in nine of ten cases. `behind`: machines that are not what is wanted, although their updates are over, or that are kept in the middle of them.
 */
export function against(plan: Plan, elapsedMs: number, through: number, behind = 0): string {
  if (plan.moves.length < plan.moving) return ''
  const due = plan.moves.filter(({ to }) => to <= elapsedMs).length
  const done = `${through} ${through === 1 ? 'is' : 'are'}`
  const said = `By what was foretold, ${due} of ${plan.moving} steps would be done ${duration(elapsedMs)} after it was let go; ${done}`
  // A step is seen some seconds after it was done.
  if (through < dueInNineOfTen(plan, elapsedMs - SEEN_MS)) return `${said}: it is late.`
  return through > due && behind === 0 ? `${said}: it is ahead.` : `${said}.`
}

const SEEN_MS = 10_000

/**
 * How many of a plan's steps were done since it was approved: not what was through by then, nor more of a kind than it has. That a
 * machine is remediated, and another one comes for it, is no step of it; nor that a node joins its pool meanwhile, and takes it up.
 */
export function stepsThrough(
  machines: readonly Pick<ChangeMachine, 'name' | 'progress'>[],
  { moves, pool }: Pick<Plan, 'moves' | 'pool'>,
  approvedAt: string,
): number {
  const since = Date.parse(approvedAt)
  const is = (at: string | null | undefined) => !!at && Date.parse(at) > since
  const done: Record<Work, number> = { update: 0, create: 0, delete: 0 }
  const named = new Set(moves.map(({ machine }) => machine))
  for (const { name, progress } of machines) {
    if (!progress?.startedAt || (pool && !named.has(name))) continue
    const { state, predicted, ill, throughAt, finishedAt } = progress
    if (state === 'done' && is(finishedAt)) done.update += 1
    if (state === 'created' && is(finishedAt)) done.create += 1
    if (state !== 'deleted' && state !== 'deleting') continue
    if (predicted?.startsWith('in-place') && is(throughAt)) done.update += 1
    if (!ill && is(finishedAt)) done.delete += 1
  }
  const most = (work: Work) => moves.filter((move) => move.work === work).length
  return (['update', 'create', 'delete'] as const).reduce((sum, work) => sum + Math.min(done[work], most(work)), 0)
}

function dueInNineOfTen({ estimate, moves }: Plan, elapsedMs: number): number {
  if (!estimate) return 0
  const { p50, p90, by } = estimate
  // Of what was foretold before each step had its own.
  const times = by ?? moves.map(({ to }) => (p50 > 0 ? (to * p90) / p50 : to))
  return times.filter((at) => at <= elapsedMs).length
}

type Working = Pick<ChangeMachine, 'name' | 'progress' | 'sentence' | 'kept'>

const TIMES = 3
const AT_LEAST_MS = 2 * 60_000

/**
 * Machines at work for three times as long as such work takes, or whose drain is refused, with what they say: what is played forward
 * counts from when they go on. At most `FEW_OVERDUE` of them by name.
 */
export function overdue({ moves }: Pick<Plan, 'moves'>, machines: readonly Working[], now: number): string[] {
  const late = machines.flatMap(({ name, progress, sentence, kept }) => {
    const move = moves.find(({ machine, from }) => machine === name && from === 0)
    if (!move || !progress?.startedAt || progress.finishedAt) return []
    // When a deletion began is known where nothing came before it.
    if (move.work === 'delete' && progress.predicted !== 'replace') return []
    const ms = now - Date.parse(progress.startedAt)
    if (kept) return [`${DOING[move.work]} ${name} is kept where it is, ${duration(ms)} so far: ${kept}`]
    if (ms < Math.max(AT_LEAST_MS, TIMES * (move.to - move.from))) return []
    const says = progress.message ?? sentence
    return [
      `${DOING[move.work]} ${name} takes longer than it should, ${duration(ms)} so far${says ? `: ${says}` : '.'}`,
    ]
  })
  const more = late.length - FEW_OVERDUE
  if (late.length === 0) return []
  return [
    ...late.slice(0, FEW_OVERDUE),
    `${more > 0 ? `So it is with ${more} more. ` : ''}What follows counts from when ${late.length === 1 ? 'it goes' : 'they go'} on.`,
  ]
}

const FEW_OVERDUE = 3
const DOING: Record<Work, string> = { update: 'Updating', create: 'Creating', delete: 'Deleting' }

/** Why what was let go stands still, before it is played on from there; null: it does not. `paused`: by somebody themselves. */
export function standsWords(
  { state, groupKind }: Pick<ChangeDto, 'state'> & Partial<Pick<ChangeDto, 'groupKind'>>,
  paused: TheirPause | null,
): string | null {
  if (paused && stuckBeside({ state, groupKind }))
    return `It stands still. Once that is solved, and ${takenAway(paused)}, it would go on like this:`
  if (paused && LET_GO.includes(state))
    return `It stands still: ${didWords(paused)}. Once ${takenAway(paused)}, it would go on like this:`
  return state === 'stuck' ? 'It stands still. Once that is solved, it would go on like this:' : null
}

/** Of a pool whose nodes have it all: what it waits for is no matter of its updates. */
export const awaitedSentence = ({ names, says }: Awaited): string =>
  `No node begins any more. It is done when ${awaitedWords(names)}; when that is, nobody knows. ${names.length === 1 ? '' : `${names[0]}: `}${says}`

/**
 * What has failed and is said to come through all the same; null: none of it does, or the rollout is kept from its end. `accepted`:
 * machines that failed also where their mark does not say so any more.
 */
export function triedAgain(
  { cells }: HullData,
  { moves, stalled }: Pick<Plan, 'moves' | 'stalled'>,
  accepted: readonly string[] = [],
): string | null {
  if (stalled !== undefined) return null
  const played = new Set(moves.flatMap(({ machine, work }) => (work === 'delete' ? [] : [machine])))
  const hasFailed = ({ mark, name }: HullCell) => mark === 'failed' || accepted.includes(name)
  const failed = (cells ?? []).filter((cell) => hasFailed(cell) && played.has(cell.name))
  const [first, ...more] = failed
  if (!first) return null
  return more.length === 0
    ? `${first.name} has failed: it is played as if it came through after all.`
    : `${machines(failed.length)} have failed: they are played as if they came through after all.`
}

const WORKS: Record<Work, string> = { update: 'updated', create: 'created', delete: 'deleted' }

/**
 * "After 18 min: 6 done, 11 available of 12; a is being updated." `running`: it is played from now on; `aged`: from what was known
 * before the last that was heard.
 */
export function momentWords(plan: Plan, at: number, running = false, aged = false): string {
  const frame = frameAt(plan.frames, at)
  if (!frame) return ''
  const all = plan.moves.length < plan.moving ? [] : underWayAt(plan.moves, at)
  // Of what was updated it is only waited for that it is well again.
  const isBack = ({ machine, work, from }: Move) => from > 0 || work !== 'update' || !plan.returning?.includes(machine)
  const busy = all.filter(isBack)
  const back = all.filter((move) => !isBack(move)).map(({ machine }) => machine)
  const counts = `${frame.done + back.length} done, ${frame.available} available of ${frame.machines}`
  const begin = aged ? 'A moment ago' : 'Now'
  const when = at > 0 ? `After ${duration(at)}` : running ? begin : at < 0 ? 'At the start' : 'At once'
  const now = (['update', 'create', 'delete'] as const).flatMap((work) => busyWith(work, busy))
  return `${[`${when}: ${counts}`, ...backWords(back), ...now].join('; ')}.`
}

const backWords = (names: readonly string[]): string[] =>
  names.length === 0
    ? []
    : [`${named(names)} ${names.length === 1 ? 'is' : 'are'} updated, and not available again yet`]

const named = (names: readonly string[]): string => (names.length <= 3 ? names.join(', ') : machines(names.length))

/** By name where they are few and have one already. */
function busyWith(work: Work, busy: readonly Move[]): string[] {
  const names = busy.filter((move) => move.work === work).map(({ machine }) => machine)
  if (names.length === 0) return []
  const known = work !== 'create' ? named(names) : machines(names.length)
  return [`${known} ${names.length === 1 ? 'is' : 'are'} being ${WORKS[work]}`]
}

/** What nobody can know before: each in one sentence, of this kind of group. */
export function unforetold(group: { groupKind: string; changeSet: { pairs: readonly unknown[] } }): string[] {
  const plane = group.groupKind === 'KubeadmControlPlane'
  if (group.groupKind === 'MachineConfigPool')
    return [
      'A node that cannot take it up, or does not come back from its reboot; a drain that waits for a budget.',
      'Somebody who cordons, labels or deletes a node, or changes the pool meanwhile, and a newer configuration.',
      'A node that joins meanwhile: it starts with the newest configuration.',
    ]
  return [
    'A machine that fails, or does not come back after its update; a drain that waits; capacity that is not to be had.',
    'Somebody who deletes, scales or changes the group meanwhile, and a health check that remediates.',
    ...(plane
      ? ['A machine that falls ill in the middle: Cluster API replaces it, whatever was approved.']
      : group.changeSet.pairs.length > 1
        ? ['With several old revisions, which of them is through first.']
        : []),
    'What new machines will be called.',
  ]
}
