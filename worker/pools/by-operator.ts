import type { KubeObject } from '@/lib/kubernetes/types'
import { readPool } from '@/lib/providers/openshift/pools'
import { isHeld } from '@/lib/services/changes/hold-of'
import { UNDER_WAY } from '@/lib/services/changes/states'
import type { Row } from '../planner/common'
import type { ClusterView } from '../types'
import { awaitRows } from './await-rows'

/**
 * What was let go is through, by what its operator counts, and Drydock may not list nodes: rows that nobody writes would never say
 * so. Not before the operator says, too, that all of them are ready.
 */
export async function isThroughByOperator(
  view: ClusterView,
  pool: KubeObject,
  digest: string,
  open: Row | null,
): Promise<boolean> {
  if (!open || open.digest !== digest || !UNDER_WAY.includes(open.state) || isHeld(pool)) return false
  const { pending, counts } = readPool(pool)
  if (pending || counts.machines === 0 || Math.min(counts.updated, counts.ready) < counts.machines) return false
  return (await awaitRows(view, pool)).old
}
