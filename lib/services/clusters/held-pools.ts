import type { Capabilities } from '@/lib/domain/capabilities'
import { isHeld } from '@/lib/domain/latch/hold'
import { objectKey } from '@/lib/kubernetes/paths'
import { KubeError, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { liveGroups } from '../latch/live-groups'

export interface LivePools {
  held: string[]
  free: KubeObject[]
}

/** Pools of OpenShift, held or not, asked of the API server itself; null: Drydock may not read them. */
export async function livePools(client: KubeClient, capabilities: Capabilities): Promise<LivePools | null> {
  const pools: LivePools = { held: [], free: [] }
  if (!capabilities.openshift) return pools
  try {
    for await (const pool of liveGroups(client, { ...capabilities, clusterApi: null }))
      if (isHeld(pool)) pools.held.push(`${pool.kind} ${objectKey(pool)}`)
      else pools.free.push(pool)
  } catch (error) {
    if (error instanceof KubeError && error.code === 403) return null
    throw error
  }
  return pools
}

interface Known {
  held: string[] | null
  /** Of all that is there: `none` where no latch was installed. */
  latchForm: string
  /** They are held by pausing, beside a latch of Cluster API's groups. */
  pausing: boolean
}

/** What becomes of them without Drydock, where anything was to hold them. */
export function poolsWords({ held, latchForm, pausing }: Known): string[] {
  if (held === null)
    return latchForm === 'none' ? [] : ['Drydock may not read the pools now: whether one is held is not known.']
  if (held.length === 0) return []
  const [stay, it] =
    held.length === 1 ? ['The pool that is held stays', 'it'] : [`The ${held.length} pools that are held stay`, 'them']
  const who =
    pausing || latchForm === 'none' || latchForm === 'watch'
      ? `anybody who may edit ${it}`
      : 'only the break-glass group'
  return [
    `${stay} paused: nothing that the operator renders reaches the nodes, and what expires there is not renewed, until somebody resumes ${it}; ${who} can do that then.`,
  ]
}
