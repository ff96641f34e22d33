import { db } from '@/lib/db/client'
import type { ConfigNode } from '@/lib/db/generated/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readPool } from '@/lib/providers/openshift/pools'
import type { ClusterView } from '../types'

/** A watch of nodes that was cut off is asked for again after half of that. */
const PATIENCE_MS = 60_000
/** Whoever waits asks each second. */
const ASKED_MS = 10_000
/** By the uid of a pool: what it wants, since when its rows are waited for, and when they were last. */
const since = new WeakMap<ClusterView['client'], Map<string, Waiting>>()
interface Waiting {
  config: string | null
  at: number
  asked: number
}

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
  const awaited = since.get(view.client) ?? new Map<string, Waiting>()
  since.set(view.client, awaited)
  const isRefused = view.heardNow?.('nodes') === 'refused'
  const heard = isRefused ? 'refused' : (view.heard?.('nodes') ?? 'listed')
  if (told || heard !== 'listed') {
    awaited.delete(uid)
    return { nodes, told, later: heard === 'open', old: !told && heard !== 'open' }
  }
  const before = awaited.get(uid)
  const asked = clock()
  const at = before?.config === config && asked - before.asked < ASKED_MS ? before.at : asked
  awaited.set(uid, { config, at, asked })
  return { nodes, told, later: asked - at < PATIENCE_MS, old: false }
}

/** As `straysOf` has it: of an image that is not there, or not known, only that it is not on its way to another. */
function has(node: ConfigNode, { built }: KubeObject, config: string | null): boolean {
  const { currentConfig, desiredConfig, currentImage, desiredImage } = node
  if (currentConfig !== config || desiredConfig !== config || currentImage !== desiredImage) return false
  return built === null ? desiredImage === null : !built?.image || desiredImage === built.image
}
