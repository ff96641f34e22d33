import { db } from '@/lib/db/client'
import { isOurPause } from '@/lib/domain/latch/hold'
import { UNDER_WAY } from '@/lib/domain/pools/node-phase'
import { pauseView, resumeView, type PauseView } from '@/lib/domain/pools/pause-risk'
import { KubeError, KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { readPool } from '@/lib/providers/openshift/pools'
import { MACHINE_CONFIGS, releaseOfConfig } from '@/lib/providers/openshift/rendered'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { poolKind, poolTarget } from '../openshift/kinds/pool'
import { readTarget } from '../openshift/read-target'
import { rehearse, type Rehearsal } from '../openshift/rehearse'
import { actablePool, requireNotHeld, requirePausable } from './pool-of'
import { poolBody } from './record-pool'
import { PreviewPoolInput } from './act-schemas'

export interface PoolPreview extends PauseView, Pick<Rehearsal, 'call' | 'dryRun'> {
  /** What the change is bound to: hand them back when acting. */
  uid: string
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
  const pool = readPool(live)
  const [{ call, dryRun, owners }, desired, underWay] = await Promise.all([
    rehearse(client, poolKind, target, live, poolBody(action)),
    // The row may be of a moment before: what is wanted now decides what begins.
    pool.desiredConfig === row.desiredConfig ? row.desiredRelease : releaseOf(client, pool.desiredConfig),
    db().configNode.count({ where: { clusterId: row.clusterId, pool: row.name, phase: { in: [...UNDER_WAY] } } }),
  ])
  const facts = {
    ...{ wanted: row.wantedRelease, desired, underWay },
    ...{ now: Date.now(), clusterUpdating: row.clusterUpdating },
  }
  const { follows, warnings } = action === 'pause' ? pauseView(pool, facts) : resumeView(pool, facts)
  const already = pool.paused === (action === 'pause')
  return {
    uid: live.metadata.uid,
    resourceVersion: live.metadata.resourceVersion,
    generation: live.metadata.generation ?? null,
    ...{ call, dryRun, follows },
    warnings: [
      ...(action === 'pause' && isOurPause(live) ? [TAKEN_OVER] : []),
      ...(already && !isOurPause(live)
        ? [`The pool is ${pool.paused ? 'paused' : 'not paused'} already: only the record here would be new.`]
        : []),
      ...(row.unheardWhy === null ? [] : [`What stands here of this pool may be old. ${row.unheardWhy}`]),
      ...warnings,
      ...owners,
    ],
  }
}

const TAKEN_OVER =
  'Drydock holds this pool, and its pause becomes yours: the configuration that waits goes on waiting for its approval, and an approval leaves it paused until somebody resumes it.'

/** Null: not known, for whatever reason. */
async function releaseOf(client: KubeClient, config: string | null): Promise<string | null> {
  if (config === null) return null
  try {
    return releaseOfConfig(await client.get(MACHINE_CONFIGS, config, undefined, { timeoutMs: 5_000 }))
  } catch (error) {
    if (!(error instanceof KubeError) && !(error instanceof KubeUnreachable)) throw error
    return null
  }
}
