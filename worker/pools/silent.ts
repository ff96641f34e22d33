import { silenceOf, type Silence } from '../silence'
import type { ClusterView } from '../types'
import { POOL_RESOURCES } from './objects'

const OF_POOLS = { [POOL_RESOURCES.pools]: 'cluster’s MachineConfigPools' }
/** What each node is told by. */
const OF_NODES = { [POOL_RESOURCES.nodes]: 'cluster’s Nodes', [POOL_RESOURCES.steps]: 'cluster’s MachineConfigNodes' }

export interface SilentPools extends Silence {
  pools: Silence['unheard']
  nodes: Silence['unheard']
}

/**
 * What of a cluster's pools is not heard any more; `anew`: also what never was. Nodes that never were are told of only where some are
 * known from before.
 */
export function silentPools(
  view: Pick<ClusterView, 'silent'>,
  anew: { pools?: boolean; nodes?: boolean },
): SilentPools {
  const [pools, nodes] = [silenceOf(view, OF_POOLS, anew.pools), silenceOf(view, OF_NODES, anew.nodes)]
  const streams = [...pools.streams, ...nodes.streams]
  return { pools: pools.unheard, nodes: nodes.unheard, unheard: pools.unheard ?? nodes.unheard, streams }
}
