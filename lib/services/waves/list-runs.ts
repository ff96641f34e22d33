import { db } from '@/lib/db/client'
import type { WaveState } from '@/lib/domain/waves'
import { awaitedWords } from '@/lib/domain/pools/awaited'
import { may, parseInput, requirePermission, type Ctx } from '../context'
import { keptMembership } from './membership'
import { movedSince } from './moved-since'
import { notAllowedAmong, saidNotAllowed } from './not-allowed'
import { reasonAsked } from './reason-asked'
import { runOfChange } from './run-of-change'
import type { RunMember } from './run-members'
import { runsNow, type Run } from './runs'
import { isWaitedFor } from './waited-for'
import type { Lapsed, Said } from './said'
import { ListRunsInput } from './schemas'
import { awaitedNodes } from '../changes/awaited-nodes'
import { heldPlanesAmong } from '../changes/held-plane'
import { UNDER_WAY } from '../changes/states'

export interface WaveDto extends Omit<WaveState, 'opensAt'> {
  opensAt: string | null
  /** How it is written: words about it are bound to that. */
  bound: string
  /** Something in a wave after it has not gone. */
  waited: boolean
  /** Somebody would be asked whether it begins, and machines of all that is left in it have: nothing is held for that. */
  allBegun?: boolean
  /** Who said that it begins, and whether that may be taken back: nothing of it has moved. */
  begun: (Said & { back: boolean }) | null
  notWaitedFor: Said | null
  /** Who asks for a reason where it begins. */
  reasonAsked: string | null
  /** Those that are not through, the first of them: name, how it stands, and its change; null: none of it is to be decided now. */
  open: { name: string; at: string; changeId: string | null }[]
}

export interface RunDto extends Pick<Run, 'policy' | 'wish' | 'summary'> {
  waves: WaveDto[]
  stopped: Omit<NonNullable<Run['stopped']>, 'words'> | null
  /** What was said of waves that were written otherwise then: it counts no more. */
  lapsed: Lapsed[]
}

export interface RunsDto {
  /** Those in which something waits for a person come first, then those with the most groups that are not through. */
  runs: RunDto[]
  /** How many there are in all. */
  all: number
  may: { approve: boolean; stop: boolean }
}

const MOST_OPEN = 10
const MOST_RUNS = 20

/** The runs that are not over, or that of one change, with where each wave stands and what it waits for. */
export async function listRuns(ctx: Ctx, input: unknown = {}): Promise<RunsDto> {
  requirePermission(ctx, 'fleet:read')
  const { change: only } = parseInput(ListRunsInput, input)
  const { found, all } = only ? await runOfChange(db(), only) : await everyRun()
  const sorted = found
    .map((run) => ({ run, weight: weightOf(run) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_RUNS)
  const dtos = await Promise.all(sorted.map(({ run }) => runDto(run)))
  return {
    all,
    runs: await withNotAllowed(dtos),
    may: { approve: may(ctx.actor.role, 'changes:approve'), stop: may(ctx.actor.role, 'changes:reject') },
  }
}

/**
 * Of those that are shown: what waits and cannot be approved so waits for no approval; what every node of a pool has, for nodes; what
 * gets no new machines, for its control plane.
 */
async function withNotAllowed(runs: RunDto[]): Promise<RunDto[]> {
  const shown = runs.flatMap(({ waves }) => waves.flatMap(({ open }) => open.flatMap(({ changeId }) => changeId ?? [])))
  const [not, awaited, planes] = await Promise.all([
    notAllowedAmong(db(), shown),
    awaitedNodes(shown),
    heldPlanesAmong(shown),
  ])
  const said = (one: WaveDto['open'][number]) => {
    if (one.changeId === null) return one
    const nodes = awaited[one.changeId]?.names
    if (nodes) return { ...one, at: `done when ${awaitedWords(nodes)}` }
    if (planes[one.changeId]) return { ...one, at: `${one.at}, blocked by its control plane, which is held` }
    return not.has(one.changeId) ? saidNotAllowed(one) : one
  }
  return runs.map((run) => ({ ...run, waves: run.waves.map((wave) => ({ ...wave, open: wave.open.map(said) })) }))
}

async function everyRun(): Promise<{ found: Run[]; all: number }> {
  const found = await runsNow(db(), keptMembership)
  return { found, all: found.length }
}

async function runDto(run: Run): Promise<RunDto> {
  const { policy, wish, summary, members, stopped, said, bounds } = run
  const waves = run.waves.map(async ({ opensAt, ...wave }, index): Promise<WaveDto> => {
    const mine = members.filter((member) => member.wave === index)
    const begun = said.begun.get(wave.name) ?? null
    const since = ({ at }: Said) => movedSince(db(), run, wave.name, at)
    const left = mine.filter(({ state }) => state === 'open')
    return {
      ...wave,
      opensAt: opensAt === undefined ? null : new Date(opensAt).toISOString(),
      bound: bounds[index]!,
      waited: isWaitedFor(index, members),
      allBegun: wave.asksPerson === true && left.length > 0 && left.every(({ change }) => change?.moved === true),
      begun: begun && { ...begun, back: !mine.some((member) => hasMoved(member, begun)) && !(await since(begun)) },
      notWaitedFor: said.skipped.get(wave.name) ?? null,
      reasonAsked: wave.asksPerson ? await reasonAsked(db(), run, index) : null,
      open: left.slice(0, MOST_OPEN).map(({ change, name, at = '' }) => ({ name, at, changeId: change?.id ?? null })),
    }
  })
  return {
    ...{ policy, wish, summary, lapsed: said.lapsed },
    stopped: stopped && { by: stopped.by, reason: stopped.reason, at: stopped.at },
    waves: await Promise.all(waves),
  }
}

const hasMoved = ({ change, since }: RunMember, { at }: Said): boolean =>
  change !== null &&
  (UNDER_WAY.includes(change.state) || change.moved || (since !== undefined && since >= Date.parse(at)))

function weightOf({ stopped, waves, members }: Run): number {
  // What nobody tries asks for nobody where nothing waits for it.
  const asks =
    stopped !== null ||
    waves.some(
      ({ needsPerson, wanting, nobody, state }, i) =>
        needsPerson && (state !== 'open' || (wanting > 0 && !nobody) || isWaitedFor(i, members)),
    )
  return (asks ? 1e9 : 0) + members.filter(({ state, nobody }) => state === 'open' && !nobody).length
}
