import type { UpgradeState } from '@/lib/domain/upgradeable/types'
import type { Ctx } from '../context'
import { listPools, type PoolRowDto } from '../pools/list-pools'
import { findUpgradeable } from '../upgradeable/get-cluster'

/** Of one cluster, in short, what has pages of its own. */
export interface Besides {
  cluster: string
  /** The worst first; null: it has none. */
  pools: Pick<PoolRowDto, 'id' | 'name' | 'state' | 'held' | 'change' | 'sentence' | 'reviewDue'>[]
  /** Pools that are not named here. */
  morePools: number
  /** `blockers`: what is no longer in the way is not counted, as in the sentence. */
  updates: { state: UpgradeState; sentence: string; blockers: number; gatesWaiting: number } | null
}

const MOST = 6

/** The same that the pages of pools and of updates say. */
export async function getBesides(ctx: Ctx, cluster: string): Promise<Besides> {
  const [{ pools, total }, updates] = await Promise.all([
    listPools(ctx, { cluster }),
    findUpgradeable(ctx, { cluster }),
  ])
  const shown = pools.slice(0, MOST)
  return {
    cluster,
    pools: shown.map(({ id, name, state, held, change, sentence, reviewDue }) => ({
      ...{ id, name, state, held, change, sentence, reviewDue },
    })),
    morePools: total - shown.length,
    updates: updates && {
      ...{ state: updates.state, sentence: updates.sentence },
      blockers: updates.blockers.filter(({ said }) => said !== 'no-longer').length,
      gatesWaiting: updates.gates.filter((gate) => gate.state === 'waiting').length,
    },
  }
}
