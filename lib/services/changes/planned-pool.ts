import { poolChangeSet, poolOutlook, poolSummary } from '@/lib/domain/pools/change'
import type { DisruptionPolicies } from '@/lib/domain/pools/effect'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { PoolChange } from '@/lib/providers/openshift/pool-change'
import { asGroupChange } from './group-change'
import type { Planned } from './planned'

/** The desired config of a pool with everything a person needs to decide on it, in the form of any planned change. */
export function plannedPool(pool: KubeObject, change: PoolChange, policies: DisruptionPolicies | null): Planned {
  const { step, pair, diff } = change
  return {
    change: asGroupChange(pool, change),
    ...{ changeSet: poolChangeSet(pair), summary: poolSummary(step, pair, diff) },
    outlook: poolOutlook(step, diff, policies),
    verdicts: new Map(),
    machines: step.machines,
  }
}
