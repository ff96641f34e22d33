import { db } from '@/lib/db/client'
import type { WaveState } from '@/lib/domain/waves'
import { may, parseInput, requirePermission, type Ctx } from '../context'
import { keptMembership } from './membership'
import { runsNow, type Run } from './runs'
import { ListRunsInput } from './schemas'

export interface WaveDto extends Omit<WaveState, 'opensAt'> {
  opensAt: string | null
  /** Those that are not through, the first of them: name, how it stands, and its change. */
  open: { name: string; at: string; changeId: string }[]
}

export interface RunDto extends Pick<Run, 'policy' | 'wish' | 'summary'> {
  waves: WaveDto[]
  stopped: Omit<NonNullable<Run['stopped']>, 'words'> | null
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
  const found = await runsNow(db(), keptMembership)
  const runs = only ? found.filter(({ members }) => members.some(({ change }) => change?.id === only)) : found
  const sorted = runs
    .map((run) => ({ run, weight: weightOf(run) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_RUNS)
  return {
    all: found.length,
    runs: sorted
      .map(({ run }) => run)
      .map(({ policy, wish, summary, waves, members, stopped }) => ({
        ...{ policy, wish, summary },
        stopped: stopped && { by: stopped.by, reason: stopped.reason, at: stopped.at },
        waves: waves.map(({ opensAt, ...wave }, index) => ({
          ...wave,
          opensAt: opensAt === undefined ? null : new Date(opensAt).toISOString(),
          open: members
            .flatMap(({ wave: its, state, change, name, at = '' }) =>
              its === index && state === 'open' && change ? [{ name, at, changeId: change.id }] : [],
            )
            .slice(0, MOST_OPEN),
        })),
      })),
    may: { approve: may(ctx.actor.role, 'changes:approve'), stop: may(ctx.actor.role, 'changes:reject') },
  }
}

function weightOf({ stopped, waves, members }: Run): number {
  const asks = stopped !== null || waves.some(({ needsPerson }) => needsPerson)
  return (asks ? 1e9 : 0) + members.filter(({ state }) => state === 'open').length
}
