import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { isOurPause } from '@/lib/domain/latch/hold'
import { UNDER_WAY } from '@/lib/domain/pools/node-phase'
import { utc } from '@/lib/domain/policies'
import { pauseView, resumeView, type PauseView } from '@/lib/domain/pools/pause-risk'
import type { Pool } from '@/lib/domain/pools/types'
import { KubeError, KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { readPool } from '@/lib/providers/openshift/pools'
import { MACHINE_CONFIGS, releaseOfConfig } from '@/lib/providers/openshift/rendered'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { poolKind, poolTarget } from '../openshift/kinds/pool'
import { readTarget } from '../openshift/read-target'
import { rehearse, type Rehearsal } from '../openshift/rehearse'
import { comingHold } from './coming-hold'
import { openChanges, type PoolChange } from './open-change'
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
  const [{ call, dryRun, owners }, desired, underWay, retrying, coming, changes] = await Promise.all([
    rehearse(client, poolKind, target, live, poolBody(action)),
    // The row may be of a moment before: what is wanted now decides what begins.
    pool.desiredConfig === row.desiredConfig ? row.desiredRelease : releaseOf(client, pool.desiredConfig),
    db().configNode.count({ where: { clusterId: row.clusterId, pool: row.name, phase: { in: [...UNDER_WAY] } } }),
    db().configNode.count({ where: { clusterId: row.clusterId, pool: row.name, ...toldAndDegraded(pool) } }),
    action === 'resume' ? comingHold(row) : null,
    action === 'pause' && isOurPause(live) ? openChanges([row]) : null,
  ])
  const facts = {
    ...{ wanted: row.wantedRelease, desired, underWay, retrying, coming },
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
      ...(changes ? [takenOver(changes.get(row.id))] : []),
      ...(already && !isOurPause(live)
        ? [`The pool is ${pool.paused ? 'paused' : 'not paused'} already: only the record here would be new.`]
        : []),
      ...(row.unheardWhy === null ? [] : [`What stands here of this pool may be old. ${row.unheardWhy}`]),
      ...warnings,
      ...owners,
    ],
  }
}

/** It was told what the pool wants now, and has it not. */
const toldAndDegraded = ({ desiredConfig }: Pool): Prisma.ConfigNodeWhereInput => ({
  ...{ phase: 'degraded', desiredConfig: desiredConfig ?? '' },
  OR: [{ currentConfig: null }, { currentConfig: { not: desiredConfig ?? '' } }],
})

/** Of a pause of Drydock's that a person makes theirs. */
function takenOver(change: PoolChange | undefined): string {
  const { due = false, goes = false, timing } = change?.standing ?? {}
  const theirs = 'Drydock holds this pool, and its pause becomes yours: the configuration that waits'
  if (!due && !goes)
    return `${theirs} goes on waiting for its approval, and an approval leaves it paused until somebody resumes it.`
  const when =
    timing?.opens && timing.besides.length === 0 ? `From ${utc(Date.parse(timing.opens))} on` : 'When it may go'
  return `${theirs} ${due ? 'is approved already' : 'needs no approval'}. ${when} Drydock’s hold is lifted, and your pause stays until somebody resumes the pool.`
}

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
