import * as z from 'zod'
import { MACHINE_SORTS } from '@/lib/db/queries/machine-where'
import { machineFacets, machinePage, type FacetRow, type MachineListRow } from '@/lib/db/queries/machines'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { isTime, placeParts, placeText } from '../place'
import { behindTheirPools } from './behind'
import { parseFilter } from './filter'
import { diagnoses } from './joining'

export interface MachineDto extends Omit<MachineListRow, 'sortKey' | 'severity'> {
  /** As its machine set wants it, and not as its pool does. */
  behind?: true
}

export type Facet = 'cluster' | 'verdict' | 'state' | 'phase'
export type FacetCounts = Record<Facet, { value: string; count: number }[]>

export interface MachinePage {
  machines: MachineDto[]
  total: number
  facets: FacetCounts
  /** For the next page; null at the end. */
  after: string | null
  /** What of the filter was not understood. */
  problems: string[]
}

const ListMachinesInput = z.object({
  /** Management cluster, by name. */
  cluster: z.string().max(253, 'A name has at most 253 characters.').optional(),
  workload: z.string().max(253, 'A name has at most 253 characters.').optional(),
  q: z.string().max(500, 'A filter has at most 500 characters.').default(''),
  sort: z.enum(MACHINE_SORTS, 'Sort by severity, name, version or age.').default('severity'),
  dir: z.enum(['asc', 'desc'], 'The direction is asc or desc.').optional(),
  after: z.string().max(800, 'This is not a place in this list; begin at its top.').optional(),
  limit: z.coerce
    .number('The limit is a number.')
    .int()
    .min(1)
    .max(500, 'A page has at most 500 machines.')
    .default(100),
})

/** One page of machines over all clusters, with counts for what it can be narrowed to. */
export async function listMachines(ctx: Ctx, input: unknown): Promise<MachinePage> {
  requirePermission(ctx, 'fleet:read')
  const { q, sort, dir, after, limit, cluster, workload } = parseInput(ListMachinesInput, input)
  const { terms, words, problems } = parseFilter(q)
  const descending = (dir ?? (sort === 'severity' ? 'desc' : 'asc')) === 'desc'
  const query = { cluster, workload, terms, words, sort, descending, ...(after ? { after: decode(after, sort) } : {}) }
  const narrowed = terms.length + words.length > 0 || cluster !== undefined || workload !== undefined
  const counting = machineFacets(query)
  const [facetRows, rows] = await Promise.all([
    counting,
    // How many there are says how best to find them.
    narrowed
      ? counting.then((counts) => machinePage(query, limit + 1, totalOf(counts)))
      : machinePage(query, limit + 1),
  ])
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const [joining, isBehind] = await Promise.all([
    diagnoses(page.filter(neverJoined).map(({ id }) => id)),
    behindTheirPools(page),
  ])
  return {
    machines: page.map(({ sortKey: _key, severity: _severity, ...row }) => {
      const machine: MachineDto = isBehind(row) ? { ...row, behind: true } : row
      const why = joining.get(machine.id)
      return why ? { ...machine, sentence: why.sentence, troubleWords: why.words } : machine
    }),
    total: totalOf(facetRows),
    facets: facetsOf(facetRows),
    after: rows.length > limit && last ? placeText([sort, last.sortKey, last.name, last.id]) : null,
    problems,
  }
}

/** Of OpenShift: its instance is there, and for too long without a node. */
const neverJoined = ({ phase, state }: MachineListRow): boolean => phase === 'Provisioned' && state === 'failed'

const totalOf = (rows: FacetRow[]) => rows.reduce((sum, row) => sum + row.n, 0)

const VALUE: Record<Facet, (row: FacetRow) => string> = {
  cluster: (row) => row.workload || row.cluster,
  verdict: (row) => row.verdict,
  state: (row) => row.state,
  phase: (row) => row.phase,
}

function facetsOf(rows: FacetRow[]): FacetCounts {
  const one = (facet: Facet) => {
    const sums = new Map<string, number>()
    for (const row of rows) sums.set(VALUE[facet](row), (sums.get(VALUE[facet](row)) ?? 0) + row.n)
    return [...sums]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  }
  return { cluster: one('cluster'), verdict: one('verdict'), state: one('state'), phase: one('phase') }
}

const Place = z.tuple([z.string(), z.string(), z.string(), z.uuid()])

function decode(after: string, sort: string): { key: string; name: string; id: string } {
  try {
    const [by, key, name, id] = Place.parse(placeParts(after))
    if (by !== sort) throw new Error('another order')
    if (sort === 'severity' && !/^-?\d{1,6}$/.test(key)) throw new Error('no number')
    if (sort === 'age' && !isTime(key)) throw new Error('no time')
    return { key, name, id }
  } catch {
    throw new ServiceError('invalid', 'This is not a place in this list; begin at its top.')
  }
}
