import { db } from '@/lib/db/client'
import type { ConfigNode } from '@/lib/db/generated/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readPool } from '@/lib/providers/openshift/pools'
import type { ClusterView } from '../types'

/** A watch of nodes that was cut off is asked for again after half of that. */
const PATIENCE_MS = 60_000
/** By the uid of a pool: what it wants, and since when its rows are waited for. */
const since = new WeakMap<ClusterView['client'], Map<string, { config: string | null; at: number }>>()

export interface Rows {
  nodes: ConfigNode[]
  /** Each says that it has what its pool wants, as its operator does. */
  told: boolean
  /** They are on their way: to be looked at again soon. */
  later: boolean
  /** From before this worker began, and it may not list nodes: only the operator tells of them. */
  old: boolean
}

/** The rows of a pool's nodes, of which its operator says that all have what is wanted: these may be written some time after that. */
export async function awaitRows(view: ClusterView, pool: KubeObject, clock: () => number = Date.now): Promise<Rows> {
  const { uid, name } = pool.metadata
  const { desiredConfig: config, counts } = readPool(pool)
  const nodes = await db().configNode.findMany({
    where: { clusterId: view.clusterId, pool: name },
    orderBy: { id: 'asc' },
  })
  const told = nodes.length >= counts.machines && nodes.every((node) => has(node, pool, config))
  const awaited = since.get(view.client) ?? new Map<string, { config: string | null; at: number }>()
  since.set(view.client, awaited)
  const heard = view.heard?.('nodes') ?? 'listed'
  if (told || heard !== 'listed') {
    awaited.delete(uid)
    return { nodes, told, later: heard === 'open', old: !told && heard !== 'open' }
  }
  const before = awaited.get(uid)
  const at = before?.config === config ? before.at : clock()
  awaited.set(uid, { config, at })
  return { nodes, told, later: clock() - at < PATIENCE_MS, old: false }
}

/** As `straysOf` has it: of an image that is not there, or not known, only that it is not on its way to another. */
function has(node: ConfigNode, { built }: KubeObject, config: string | null): boolean {
  const { currentConfig, desiredConfig, currentImage, desiredImage } = node
  if (currentConfig !== config || desiredConfig !== config || currentImage !== desiredImage) return false
  return built === null ? desiredImage === null : !built?.image || desiredImage === built.image
}
