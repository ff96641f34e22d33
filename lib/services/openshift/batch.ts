import { db } from '@/lib/db/client'
import { log } from '@/lib/log'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { actionDto, type ActionDto } from './action-row'
import { recordAndApply, type NewAction } from './record-action'

/** What became of one of many: its action, or why there is none. */
export interface BatchResult {
  clusterId: string
  action: ActionDto | null
  refused: { message: string; hint: string | null } | null
}

/** So many clusters are spoken to at once. */
const AT_ONCE = 8

/**
 * Records and applies one decision on many clusters, each with its own result: what one refuses stops no other. `plan` reads a
 * cluster and says what is to be recorded there, and throws a ServiceError where nothing can be.
 */
export async function recordBatch(
  ctx: Ctx,
  batchId: string,
  clusterIds: string[],
  plan: (clusterId: string) => Promise<NewAction>,
): Promise<BatchResult[]> {
  const results = new Map<string, BatchResult>()
  const queue = [...new Set(clusterIds)]
  const wanted = [...queue]
  const work = async () => {
    for (let clusterId = queue.shift(); clusterId; clusterId = queue.shift())
      results.set(clusterId, await one(ctx, clusterId, async (id) => ({ ...(await plan(id)), batchId })))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return wanted.map((clusterId) => results.get(clusterId)!)
}

async function one(ctx: Ctx, clusterId: string, plan: (clusterId: string) => Promise<NewAction>): Promise<BatchResult> {
  try {
    return { clusterId, action: await recordAndApply(ctx, await plan(clusterId)), refused: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) return { clusterId, action: null, refused: unexpected(error, clusterId) }
    return { clusterId, action: null, refused: { message: error.message, hint: error.more.hint ?? null } }
  }
}

/** What went wrong with one says nothing of what was decided on the others. Recorded, it may be all the same. */
function unexpected(error: unknown, clusterId: string): BatchResult['refused'] {
  log().error({ err: error, clusterId }, 'a decision of several could not be recorded or applied')
  const message = 'Drydock itself failed on this cluster, and its log says why.'
  return { message, hint: 'Look at its page, then decide there again where nothing is on record.' }
}

/** How the actions of a batch stand now, those of the worst end first. */
export async function batchNow(batchId: string): Promise<ActionDto[]> {
  const rows = await db().openShiftAction.findMany({ where: { batchId }, orderBy: { recordedAt: 'asc' } })
  const worst = (state: string) => (state === 'failed' ? 0 : state === 'waiting' ? 1 : 2)
  return rows.map(actionDto).sort((a, b) => worst(a.state) - worst(b.state))
}
