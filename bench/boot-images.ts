import { pool } from '@/lib/db/client'
import { workOff } from '@/lib/db/read-model/marked'
import { NODE_IMAGES } from '@/lib/db/read-model/node-images'
import { generateBootImages, generateImageMachines } from '@/lib/services/skew/testing'
import { asked } from './asked'
import { setUp } from './setup'
import { built, UNBUILT } from './web'

/** What people ask of the fleet's boot images: the first view, orders, filters, words, pages, the machine sets of all. */
const PATHS = [
  '/api/boot-images',
  '/api/boot-images?limit=500',
  '/api/boot-images?sort=name',
  '/api/boot-images?sort=version&dir=desc',
  '/api/boot-images?sort=distance',
  '/api/boot-images?sort=review',
  '/api/boot-images?q=verdict:out-of-skew,update-failing',
  '/api/boot-images?q=platform:aws version:<4.22',
  '/api/boot-images?q=sets:outdated nodes:unknown',
  '/api/boot-images?q=review:due',
  '/api/boot-images?q=ocp-04',
  '/api/boot-images?q=nothing-has-this-name',
  '/api/boot-images/sets',
  '/api/boot-images/sets?q=state:outdated managed:no',
  '/api/boot-images/sets?sort=machines&limit=500',
  '/api/boot-images/sets?q=worker-7 arch:aarch64',
  '/api/boot-images/nodes',
  '/api/boot-images/nodes?q=verdict:outdated stuck:yes',
  '/api/boot-images/nodes?sort=age&limit=500',
  '/api/boot-images/clusters/ocp-007',
]
/** Of each machine set. */
const MACHINES = 6

/** The fleet page's requests over so many clusters with eight machine sets each. */
export async function bootImages(clusters: number): Promise<Record<string, number>> {
  if (!built()) throw new Error(UNBUILT)
  const bench = await setUp(100)
  try {
    await generateBootImages(clusters)
    await generateImageMachines(MACHINES)
    const judgeMs = await judgedAll()
    return { clusters, judgeMs, ...(await asked(PATHS)) }
  } finally {
    await bench.stop()
  }
}

/** As a worker does behind what it has written. */
async function judgedAll(): Promise<number> {
  const started = performance.now()
  while ((await workOff(pool(), NODE_IMAGES)) > 0);
  const ms = Math.round(performance.now() - started)
  await pool().query('ANALYZE node_image, node_image_stale')
  return ms
}
