import type { JsonObject } from '@/lib/domain/json'
import { pausedByPerson } from '@/lib/domain/latch/hold'
import type { Ctx } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { poolKind, poolTarget } from '../openshift/kinds/pool'
import { overwrites } from '../openshift/overwrites'
import { recordAndApply } from '../openshift/record-action'
import { requirePausable } from './pool-of'

export interface PoolWish {
  clusterId: string
  name: string
  action: 'pause' | 'resume'
  resourceVersion: string
  generation?: number
  uid?: string
  reason?: string
  reviewAt?: Date
}

/** The very patch. */
export const poolBody = (action: PoolWish['action']): JsonObject =>
  action === 'pause' ? pausedByPerson() : { spec: { paused: false } }

/** Records the decision as an action of one step and applies it right away. */
export async function recordPool(ctx: Ctx, { clusterId, name, action, ...wish }: PoolWish): Promise<ActionDto> {
  const { resourceVersion, generation, uid, reason, reviewAt } = wish
  const paused = action === 'pause'
  if (paused) requirePausable(name)
  // Somebody's pause; that a pool was not paused is nobody's decision.
  const overwrote = paused ? undefined : await overwrites(clusterId, poolKind, poolTarget(name), ['spec', 'paused'])
  return recordAndApply(ctx, {
    ...{ clusterId, kind: poolKind.kind, target: poolTarget(name), action },
    steps: [{ label: paused ? `Pause ${name}` : `Resume ${name}`, body: poolBody(action) }],
    looked: { resourceVersion, generation, uid },
    ...{ reason, reviewAt },
    audit: {
      action: paused ? 'pool.paused' : 'pool.resumed',
      details: { pool: name, ...(reviewAt && { reviewAt: reviewAt.toISOString() }), ...(overwrote && { overwrote }) },
    },
  })
}
