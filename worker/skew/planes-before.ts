import { db } from '@/lib/db/client'
import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { NODE_RISKS, type NodeRisk, type NodeRisked } from '@/lib/domain/skew/node-risk'
import { toldBefore } from '@/lib/domain/unheard'
import type { ClusterView } from '../types'
import { PLANES } from './objects'

/** What is to be said at the least of new machines until the control plane's set is listed; null: what the machine sets tell. */
export async function riskBefore(row: OpenShiftCluster | null, clusterId: string): Promise<NodeRisked | null> {
  const level = row?.nodeRisk as NodeRisk | undefined
  // What was not heard then told nothing good.
  if (!row || (row.unheardWhy !== null && level !== 'likely')) return NOT_LISTED
  const planes = await db().bootImageSet.count({ where: { clusterId, kind: 'ControlPlaneMachineSet' } })
  return planes === 0 ? null : { level: level!, sentence: toldBefore(row.nodeRiskWhy) }
}

/** It is listed later than what is waited for, or cannot be: that nothing of it is there says nothing. */
export const isUnlisted = (view: ClusterView): boolean =>
  view.objects(PLANES).size === 0 && ['open', 'refused'].includes(view.heard?.(PLANES) ?? 'listed')

export const worse = (now: NodeRisked, before: NodeRisked | null): NodeRisked =>
  before && NODE_RISKS.indexOf(before.level) < NODE_RISKS.indexOf(now.level) ? before : now

const NOT_LISTED: NodeRisked = {
  level: 'unknown',
  sentence: 'Whether a new machine joins is not known: its ControlPlaneMachineSet has not been listed yet.',
}
