import { db } from '@/lib/db/client'
import { generatePools } from '@/lib/services/pools/testing'
import { asked } from './asked'
import { setUp } from './setup'
import { built, UNBUILT } from './web'

/** What people ask of pools: the list as it opens, its filters, one pool with its nodes, and one node. */
const PATHS = [
  '/api/pools',
  '/api/pools?state=behind',
  '/api/pools?state=degraded',
  '/api/pools?cluster=pools-007',
  '/api/pools?q=gpu',
  '/api/pools?q=nothing-has-this-name',
]

/** The pools' pages over so many clusters with four pools of 25 nodes each. */
export async function pools(clusters: number): Promise<Record<string, number>> {
  if (!built()) throw new Error(UNBUILT)
  const bench = await setUp(100)
  try {
    await generatePools(clusters)
    const { id } = await db().configPool.findFirstOrThrow({ where: { name: 'worker' }, orderBy: { id: 'asc' } })
    const one = [`/api/pools/${id}`, `/api/pools/${id}?phase=pending`]
    return { clusters, nodes: clusters * 100, ...(await asked([...PATHS, ...one])) }
  } finally {
    await bench.stop()
  }
}
