import { db, pool } from '@/lib/db/client'
import { workOff } from '@/lib/db/read-model/marked'
import { NODES_BEHIND } from '@/lib/db/read-model/nodes-behind'
import { generatePoolMachines, generatePools } from '@/lib/services/pools/testing'
import { asked } from './asked'
import { setUp } from './setup'
import { built, UNBUILT } from './web'

/** What people ask of pools: the list as it opens, its filters, one pool with its nodes, one node, and the fleet that counts them. */
const PATHS = [
  '/api/pools',
  '/api/pools?state=behind',
  '/api/pools?state=degraded',
  '/api/pools?cluster=pools-007',
  '/api/pools?q=gpu',
  '/api/pools?q=nothing-has-this-name',
  '/api/fleet',
]

/** The pools' pages over so many clusters with four pools of 25 nodes each. */
export async function pools(clusters: number): Promise<Record<string, number>> {
  if (!built()) throw new Error(UNBUILT)
  const bench = await setUp(100)
  try {
    await generatePools(clusters)
    await generatePoolMachines()
    const started = performance.now()
    while ((await workOff(pool(), NODES_BEHIND)) > 0);
    const behindMs = Math.round(performance.now() - started)
    const { id } = await db().configPool.findFirstOrThrow({ where: { name: 'worker' }, orderBy: { id: 'asc' } })
    const one = [`/api/pools/${id}`, `/api/pools/${id}?phase=pending`]
    return { clusters, nodes: clusters * 100, behindMs, ...(await asked([...PATHS, ...one])) }
  } finally {
    await bench.stop()
  }
}
