import * as z from 'zod'
import { imageWords } from '@/lib/domain/boot-images/image-words'
import { verdictWords } from '@/lib/domain/skew/verdict-words'
import { datedWords } from '@/lib/domain/boot-images/dated-words'
import { OUTCOMES, setName, SURE_OF } from '@/lib/domain/boot-images/set-words'
import { NODE_RISK_WORDS } from '@/lib/domain/skew/node-risk'
import { CONFIDENCE_WORDS } from '@/lib/domain/skew/confidence'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import type { BootImageRow } from './cluster-row'
import { csvLine, type CsvValue } from './csv'
import { parseClusterFilter, parseNodeFilter, parseSetFilter } from './filter'
import { listBootImages, ListClustersInput } from './list'
import { ListNodeImagesInput, listNodeImages, type NodeImageRow } from './list-node-images'
import { listImageSets, ListSetsInput, type ImageSetRow } from './list-sets'

const ExportInput = z.object({
  of: z.enum(['clusters', 'sets', 'nodes'], 'There are clusters, sets and nodes to be exported.').default('clusters'),
  as: z.enum(['csv', 'json'], 'The export is csv or json.').default('csv'),
})
export interface Export {
  name: string
  type: string
  pieces: AsyncGenerator<string>
}

const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json' } as const
/** Rows of one piece: a page of the list, so that nothing holds a whole fleet at once. */
const PIECE = 500

const sure = (level: string | null) => SURE_OF[level as keyof typeof SURE_OF] ?? null

const CLUSTER_COLUMNS: Record<string, (row: BootImageRow) => CsvValue> = {
  cluster: (r) => r.name,
  infrastructure: (r) => r.infrastructureName,
  version: (r) => r.version,
  platform: (r) => r.platform,
  verdict: (r) => verdictWords(r.verdict, r.closes),
  sentence: (r) => r.sentence,
  mode: (r) => r.mode,
  'why this mode': (r) => r.modeWhy,
  recorded: (r) => r.recorded,
  floor: (r) => r.floor,
  'minor releases above the floor': (r) => r.distance,
  'new machines': (r) => NODE_RISK_WORDS[r.nodeRisk],
  'why at risk': (r) => r.nodeRiskWhy,
  'record by the evidence': (r) => r.recorded && CONFIDENCE_WORDS[r.confidence],
  'updates open': (r) => r.updateOpen,
  'managed updates': (r) => r.managedWords,
  'current sets': (r) => r.sets.current ?? 0,
  'sets below the floor': (r) => r.sets.below ?? 0,
  'outdated sets': (r) => r.sets.outdated ?? 0,
  'custom sets': (r) => r.sets.custom ?? 0,
  'sets newer than the release': (r) => r.sets.newer ?? 0,
  'excluded sets': (r) => r.sets.excluded ?? 0,
  'sets not known': (r) => r.sets.unknown ?? 0,
  'decided by': (r) => r.saidBy,
  'review on': (r) => r.reviewAt,
  flagged: (r) => r.flaggedWhy,
  'last pass failed': (r) => r.passFailed,
  'pass stands still': (r) => r.passStuck,
  'last heard': (r) => (r.unheard ? r.unheard.since : r.connection.lastHeardAt),
  'not heard': (r) => r.unheard?.why ?? null,
}
const SET_COLUMNS: Record<string, (row: ImageSetRow) => CsvValue> = {
  cluster: (r) => r.cluster,
  platform: (r) => r.platform,
  version: (r) => r.version,
  kind: (r) => r.kind,
  'machine set': setName,
  machines: (r) => r.replicas,
  'boot image': (r) => imageWords(r.state),
  why: (r) => r.reason,
  'image now': (r) => r.current,
  'image wanted': (r) => r.wanted,
  dated: (r) => r.dated && datedWords(r.dated, r.current),
  'how sure': (r) => sure(r.datedSure),
  managed: (r) => r.managed,
  'what the operator does': (r) => OUTCOMES[r.outcome] ?? r.outcome,
  architecture: (r) => r.arch,
  marketplace: (r) => r.marketplace,
  error: (r) => r.error,
}
const NODE_COLUMNS: Record<string, (row: NodeImageRow) => CsvValue> = {
  cluster: (r) => r.cluster,
  platform: (r) => r.platform,
  version: (r) => r.version,
  'machine set': (r) => r.name,
  'boot image': (r) => r.image,
  dated: (r) => r.dated && datedWords(r.dated, r.image),
  'how sure': (r) => sure(r.datedSure),
  verdict: (r) => imageWords(r.verdict),
  'image wanted': (r) => r.wanted,
  machines: (r) => r.machines,
  nodes: (r) => r.nodes,
  'do not join': (r) => r.stuck,
  'oldest machine': (r) => r.oldest,
  'newest machine': (r) => r.newest,
}

/** What can be exported: its list's input and filter, its columns, and a page of it. */
const LISTS = {
  clusters: {
    input: ListClustersInput,
    filter: parseClusterFilter,
    columns: CLUSTER_COLUMNS,
    page: async (ctx: Ctx, asked: object) => {
      const { clusters: rows, after: next } = await listBootImages(ctx, asked)
      return { rows, next }
    },
  },
  sets: {
    input: ListSetsInput,
    filter: parseSetFilter,
    columns: SET_COLUMNS,
    page: async (ctx: Ctx, asked: object) => {
      const { sets: rows, after: next } = await listImageSets(ctx, asked)
      return { rows: rows.map(asDone), next }
    },
  },
  nodes: {
    input: ListNodeImagesInput,
    filter: parseNodeFilter,
    columns: NODE_COLUMNS,
    page: async (ctx: Ctx, asked: object) => {
      const { images: rows, after: next } = await listNodeImages(ctx, asked)
      return { rows, next }
    },
  },
}

/** With a set that it does not manage the operator does nothing. Its error: why its machines are not made, or its image is not written. */
function asDone(set: ImageSetRow): ImageSetRow {
  const outcome = set.managed ? set.outcome : 'not-managed'
  return { ...set, outcome, error: set.error ?? (['error', 'crash'].includes(outcome) ? set.reason : null) }
}

/** What the filter lets through, all of it and in its order, in pieces of a page each. */
export function exportBootImages(ctx: Ctx, input: unknown): Export {
  requirePermission(ctx, 'fleet:read')
  const { of, as } = parseInput(ExportInput, input)
  // Refused before the first byte, and not in the middle of a file.
  const list = LISTS[of]
  const asked = { ...parseInput(list.input, input), limit: PIECE }
  const { problems } = list.filter(asked.q)
  // A file does not say what of its filter was passed over, as the page does.
  if (problems.length > 0)
    throw new ServiceError('invalid', problems.join(' '), { hint: 'Mend the filter, and export again.' })
  const pages: AsyncGenerator<object[]> = walk((after) => list.page(ctx, { ...asked, after }))
  const columns = list.columns as Record<string, (row: object) => CsvValue>
  return {
    name: `drydock-boot-images-${of}.${as}`,
    type: TYPES[as],
    pieces: as === 'csv' ? csv(pages, columns) : json(pages),
  }
}

async function* walk(page: (after: string | undefined) => Promise<{ rows: object[]; next: string | null }>) {
  let after: string | undefined
  do {
    const { rows, next } = await page(after)
    yield rows
    after = next ?? undefined
  } while (after)
}

async function* csv(pages: AsyncGenerator<object[]>, columns: Record<string, (row: object) => CsvValue>) {
  yield csvLine(Object.keys(columns))
  const read = Object.values(columns)
  for await (const rows of pages) yield rows.map((row) => csvLine(read.map((of) => of(row)))).join('')
}

async function* json(pages: AsyncGenerator<object[]>) {
  let lead = '[\n'
  for await (const rows of pages)
    for (const row of rows) {
      yield lead + JSON.stringify(row)
      lead = ',\n'
    }
  yield lead === '[\n' ? '[]\n' : '\n]\n'
}
