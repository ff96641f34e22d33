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

/** What of a cluster's pools is not heard any more; `anew`: also pools that never were. Nodes that never were are told of nowhere. */
export function silentPools(view: Pick<ClusterView, 'silent'>, anew = false): SilentPools {
  const [pools, nodes] = [silenceOf(view, OF_POOLS, anew), silenceOf(view, OF_NODES)]
  const streams = [...pools.streams, ...nodes.streams]
  return { pools: pools.unheard, nodes: nodes.unheard, unheard: pools.unheard ?? nodes.unheard, streams }
}
