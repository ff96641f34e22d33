import { db } from '@/lib/db/client'
import type { WaveState } from '@/lib/domain/waves'
import { may, requirePermission, type Ctx } from '../context'
import { keptMembership } from './membership'
import { runsNow, type Run } from './runs'

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
  runs: RunDto[]
  may: { approve: boolean; stop: boolean }
}

const MOST_OPEN = 10

/** Every run that is not over, with where each of its waves stands and what it waits for. */
export async function listRuns(ctx: Ctx): Promise<RunsDto> {
  requirePermission(ctx, 'fleet:read')
  const runs = await runsNow(db(), keptMembership)
  return {
    runs: runs.map(({ policy, wish, summary, waves, members, stopped }) => ({
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
