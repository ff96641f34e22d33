import type { Tx } from '@/lib/db/client'
import { membership } from './membership'
import { misplaced, type Found } from './placing'
import { runsNow } from './runs'

/**
 * Of one management cluster, by the policies of this moment: only the owner of a connected one places its changes, so that those of
 * one that does not answer may stand where no policy has them any more. Throws where a policy cannot be read.
 */
export const misplacedIn = async (tx: Tx, clusterId: string): Promise<Found[]> =>
  (await runsNow(tx, membership)).flatMap((run) => misplaced(run, clusterId))
