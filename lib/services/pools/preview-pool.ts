import { db } from '@/lib/db/client'
import { UNDER_WAY } from '@/lib/domain/pools/node-phase'
import { pauseView, resumeView, type PauseView } from '@/lib/domain/pools/pause-risk'
import { readPool } from '@/lib/providers/openshift/pools'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { poolKind, poolTarget } from '../openshift/kinds/pool'
import { readTarget } from '../openshift/read-target'
import { rehearse, type Rehearsal } from '../openshift/rehearse'
import { actablePool, requireNotHeld, requirePausable } from './pool-of'
import { PreviewPoolInput } from './act-schemas'

export interface PoolPreview extends PauseView, Pick<Rehearsal, 'call' | 'dryRun'> {
  /** What the change is bound to: hand both back when acting. */
  resourceVersion: string
  generation: number | null
}

/** What pausing or resuming a pool would do: the exact patch, the API server's own answer to it, and what follows for its nodes. */
export async function previewPool(ctx: Ctx, input: unknown): Promise<PoolPreview> {
  requirePermission(ctx, 'pools:act')
  const { poolId, action } = parseInput(PreviewPoolInput, input)
  const row = await actablePool(poolId)
  if (action === 'pause') requirePausable(row.name)
  else await requireNotHeld(row.clusterId, row.id, row.name)
  const client = await kubeClientFor(row.clusterId)
  const target = poolKind.target(poolTarget(row.name))
  const live = await readTarget(client, poolKind, target)
  const body = { spec: { paused: action === 'pause' } }
  const [{ call, dryRun, owners }, underWay] = await Promise.all([
    rehearse(client, poolKind, target, live, body),
    db().configNode.count({ where: { clusterId: row.clusterId, pool: row.name, phase: { in: [...UNDER_WAY] } } }),
  ])
  const pool = readPool(live)
  const facts = {
    ...{ wanted: row.wantedRelease, desired: row.desiredRelease, underWay },
    ...{ now: Date.now(), clusterUpdating: row.clusterUpdating },
  }
  const { follows, warnings } = action === 'pause' ? pauseView(pool, facts) : resumeView(pool, facts)
  const already = pool.paused === (action === 'pause')
  return {
    resourceVersion: live.metadata.resourceVersion,
    generation: live.metadata.generation ?? null,
    ...{ call, dryRun, follows },
    warnings: [
      ...(already
        ? [`The pool is ${pool.paused ? 'paused' : 'not paused'} already: only the record here would be new.`]
        : []),
      ...warnings,
      ...owners,
    ],
  }
}
