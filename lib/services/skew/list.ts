import * as z from 'zod'
import { CLUSTER_SORTS } from '@/lib/db/queries/boot-image-where'
import {
  bootImageSummary,
  clusterFacets,
  clusterPage,
  type BootImageSummary,
  type ClusterFacet,
  type FacetsOf,
} from '@/lib/db/queries/boot-images'
import { parseInput, requirePermission, type Ctx } from '../context'
import { bootImageRow, type BootImageRow } from './cluster-row'
import { parseClusterFilter } from './filter'
import { decodePlace, encodePlace } from './place'

export type { BootImageRow } from './cluster-row'
export type { BootImageSummary } from '@/lib/db/queries/boot-images'

export interface BootImagePage {
  clusters: BootImageRow[]
  total: number
  facets: FacetsOf<ClusterFacet>
  /** Of all clusters, whatever the filter lets through. */
  summary: BootImageSummary
  /** For the next page; null at the end. */
  after: string | null
  /** What of the filter was not understood. */
  problems: string[]
}

/** What every list of boot images is asked with; the cluster is the scope of the page. */
export const LIST_SHAPE = {
  cluster: z.string().trim().max(253, 'A name has at most 253 characters.').optional(),
  q: z.string().max(500, 'A filter has at most 500 characters.').default(''),
  dir: z.enum(['asc', 'desc'], 'The direction is asc or desc.').optional(),
  after: z.string().max(800, 'This is not a place in this list; begin at its top.').optional(),
  limit: z.coerce.number('The limit is a number.').int().min(1).max(500, 'A page has at most 500 rows.').default(100),
}
export const ListClustersInput = z.object({
  ...LIST_SHAPE,
  sort: z.enum(CLUSTER_SORTS, 'Sort by risk, name, version, distance or review.').default('risk'),
})

/** One page of OpenShift clusters with their verdicts, the most pressing first, and counts for what it can be narrowed to. */
export async function listBootImages(ctx: Ctx, input: unknown): Promise<BootImagePage> {
  requirePermission(ctx, 'fleet:read')
  const { q, sort, dir, after, limit, cluster } = parseInput(ListClustersInput, input)
  const { terms, words, problems } = parseClusterFilter(q)
  const descending = (dir ?? (sort === 'risk' ? 'desc' : 'asc')) === 'desc'
  const query = { cluster, terms, words, sort, descending, ...(after && { after: decodePlace(after, sort) }) }
  const [rows, { total, facets }, summary] = await Promise.all([
    clusterPage(query, limit + 1),
    clusterFacets(query),
    bootImageSummary({ cluster }),
  ])
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    ...{ clusters: page.map(bootImageRow), total, facets, summary, problems },
    after: rows.length > limit && last ? encodePlace(sort, last) : null,
  }
}
