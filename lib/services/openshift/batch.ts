import { failure, type Failure } from '@/lib/auth/failure'
import { atMost } from '@/lib/at-most'
import { db } from '@/lib/db/client'
import type { Ctx } from '../context'
import { actionDto, type ActionDto } from './action-row'
import { recordAndApply, type NewAction } from './record-action'

/** What became of one of many: its action, or why there is none. */
export interface BatchResult {
  clusterId: string
  action: ActionDto | null
  refused: Failure | null
}

/** One decision on several clusters. */
export interface Acted {
  batchId: string
  results: BatchResult[]
}

/** So many clusters are spoken to at once. */
export const AT_ONCE = 8

/**
 * Records and applies one decision on many clusters, each with its own result: what one refuses, or fails at, stops no other.
 * `plan` reads a cluster and says what is to be recorded there, and throws where nothing can be.
 */
export async function recordBatch(
  ctx: Ctx,
  batchId: string,
  clusterIds: readonly string[],
  plan: (clusterId: string) => Promise<NewAction>,
): Promise<BatchResult[]> {
  const turn = atMost(AT_ONCE)
  const one = async (clusterId: string): Promise<BatchResult> => {
    try {
      const action = await recordAndApply(ctx, { ...(await plan(clusterId)), batchId })
      return { clusterId, action, refused: null }
    } catch (error) {
      return { clusterId, action: null, refused: failure(error, 'recordBatch') }
    }
  }
  return Promise.all([...new Set(clusterIds)].map((clusterId) => turn(() => one(clusterId))))
}

/** How the actions of a batch stand now, those of the worst end first. */
export async function batchNow(batchId: string): Promise<ActionDto[]> {
  const rows = await db().openShiftAction.findMany({ where: { batchId }, orderBy: { recordedAt: 'asc' } })
  const worst = (state: string) => (state === 'failed' || state === 'overtaken' ? 0 : state === 'waiting' ? 1 : 2)
  return rows.map(actionDto).sort((a, b) => worst(a.state) - worst(b.state))
}
