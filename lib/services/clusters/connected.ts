import type { Tx } from '@/lib/db/client'
import { ServiceError } from '../errors'

/**
 * Nothing new is decided on a cluster that is being disconnected. The row is locked for the transaction: a decision and
 * a disconnect never pass each other unseen. Nothing is final about it for the worker (`unavailable`): it may be undone in a moment.
 */
export async function requireConnected(
  tx: Tx,
  clusterId: string,
  code: 'conflict' | 'unavailable' = 'conflict',
): Promise<void> {
  const [row] = await tx.$queryRaw<{ state: string; name: string }[]>`
    SELECT state, name FROM management_cluster WHERE id = ${clusterId}::uuid FOR SHARE`
  if (row?.state !== 'disconnected') return
  throw new ServiceError(code, `${row.name} is disconnected: nothing can be changed there.`, {
    hint: 'An administrator connects it again on the page Clusters.',
  })
}
