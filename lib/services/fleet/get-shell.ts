import {
  clusterLiveness,
  scopeChoices,
  waitingCounts,
  type ScopeChoice,
  type ShellCluster,
} from '@/lib/db/queries/shell'
import { may, requirePermission, type Ctx } from '../context'

export type { ShellCluster }

export interface Shell {
  clusters: ShellCluster[]
  workloads: ScopeChoice[]
  /** What waits for this person, and not merely for somebody. */
  waiting: { changes: number; skew: number }
  now: string
}

/** What stands round every page: scope, counts, and how old the data is. */
export async function getShell(ctx: Ctx): Promise<Shell> {
  requirePermission(ctx, 'fleet:read')
  const [clusters, workloads, counts] = await Promise.all([clusterLiveness(), scopeChoices(), waitingCounts()])
  return {
    clusters,
    workloads,
    waiting: {
      changes: may(ctx.actor.role, 'changes:approve') ? counts.changes : 0,
      skew: may(ctx.actor.role, 'skew:act') ? counts.skew : 0,
    },
    now: new Date().toISOString(),
  }
}
