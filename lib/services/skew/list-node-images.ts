import * as z from 'zod'
import type { FacetsOf } from '@/lib/db/queries/boot-images'
import { NODE_SORTS } from '@/lib/db/queries/node-image-where'
import { nodeImageFacets, nodeImagePage, type NodeFacet, type NodeImageListRow } from '@/lib/db/queries/node-images'
import { parseInput, requirePermission, type Ctx } from '../context'
import { parseNodeFilter } from './filter'
import { LIST_SHAPE } from './list'
import { decodePlace, encodePlace } from './place'

export type NodeImageRow = Omit<NodeImageListRow, 'sortKey' | 'oldest' | 'newest'> & {
  oldest: string | null
  newest: string | null
}

export interface NodeImagePage {
  images: NodeImageRow[]
  total: number
  facets: FacetsOf<NodeFacet>
  after: string | null
  problems: string[]
}

export const ListNodeImagesInput = z.object({
  ...LIST_SHAPE,
  sort: z.enum(NODE_SORTS, 'Sort by risk, name, machines, cluster or age.').default('risk'),
})

/** One page of the boot images that nodes started from, over all OpenShift clusters, as far as their Machines tell. */
export async function listNodeImages(ctx: Ctx, input: unknown): Promise<NodeImagePage> {
  requirePermission(ctx, 'fleet:read')
  const { q, sort, dir, after, limit, cluster } = parseInput(ListNodeImagesInput, input)
  const { terms, words, problems } = parseNodeFilter(q)
  const descending = (dir ?? (sort === 'risk' || sort === 'machines' ? 'desc' : 'asc')) === 'desc'
  const query = { cluster, terms, words, sort, descending, ...(after && { after: decodePlace(after, sort) }) }
  const [rows, { total, facets }] = await Promise.all([nodeImagePage(query, limit + 1), nodeImageFacets(query)])
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    images: page.map(({ sortKey: _, oldest, newest, ...row }) => ({
      ...row,
      oldest: oldest?.toISOString() ?? null,
      newest: newest?.toISOString() ?? null,
    })),
    ...{ total, facets, problems },
    after: rows.length > limit && last ? encodePlace(sort, last) : null,
  }
}
