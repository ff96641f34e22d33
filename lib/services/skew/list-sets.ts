import * as z from 'zod'
import { SET_SORTS } from '@/lib/db/queries/boot-image-where'
import { setFacets, setPage, type FacetsOf, type SetFacet, type SetListRow } from '@/lib/db/queries/boot-images'
import { onceDated } from '@/lib/domain/boot-images/platforms/aws'
import { parseInput, requirePermission, type Ctx } from '../context'
import { parseSetFilter } from './filter'
import { LIST_SHAPE } from './list'
import { decodePlace, encodePlace } from './place'

export type ImageSetRow = Omit<SetListRow, 'sortKey'>

export interface ImageSetPage {
  sets: ImageSetRow[]
  total: number
  facets: FacetsOf<SetFacet>
  after: string | null
  problems: string[]
}

export const ListSetsInput = z.object({
  ...LIST_SHAPE,
  sort: z.enum(SET_SORTS, 'Sort by risk, name, machines or cluster.').default('risk'),
})

/** One page of machine sets and control planes over all OpenShift clusters: which image each starts machines from. */
export async function listImageSets(ctx: Ctx, input: unknown): Promise<ImageSetPage> {
  requirePermission(ctx, 'fleet:read')
  const { q, sort, dir, after, limit, cluster } = parseInput(ListSetsInput, input)
  const { terms, words, problems } = parseSetFilter(q)
  const descending = (dir ?? (sort === 'risk' || sort === 'machines' ? 'desc' : 'asc')) === 'desc'
  const query = { cluster, terms, words, sort, descending, ...(after && { after: decodePlace(after, sort) }) }
  const [rows, { total, facets }] = await Promise.all([setPage(query, limit + 1), setFacets(query)])
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    sets: page.map(imageSetRow),
    ...{ total, facets, problems },
    after: rows.length > limit && last ? encodePlace(sort, last) : null,
  }
}

export const imageSetRow = ({ sortKey: _, ...row }: SetListRow): ImageSetRow => ({
  ...row,
  reason: onceDated(row.reason, row.state),
})
