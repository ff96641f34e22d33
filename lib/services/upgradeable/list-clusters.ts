import { clusterUpdates, countUpdates, type UpdatesCounts, type UpdatesRow } from '@/lib/db/queries/upgradeable'
import { explainReason } from '@/lib/domain/upgradeable/reasons'
import type { BlockerSource, UpgradeState } from '@/lib/domain/upgradeable/types'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { ListInput } from './schemas'

export interface ClusterUpdatesDto {
  clusterId: string
  name: string
  version: string | null
  state: UpgradeState
  sentence: string
  blockers: number
  gatesWaiting: number
  /** The first reason in few words; null: there is none. */
  first: string | null
  /** The version that an update is under way to. */
  underway: string | null
  cluster: { state: string; lastHeardAt: string | null }
  /** ClusterVersion cannot be read any more: since when; null: it is heard. */
  unheard: { since: string | null } | null
}

export interface ClusterUpdatesList {
  clusters: ClusterUpdatesDto[]
  counts: UpdatesCounts
  /** Where the next page begins; null: this is the last. */
  next: string | null
}

const PAGE = 50

/** OpenShift clusters by whether updates to another minor version are open, the most pressing first. */
export async function listClusterUpdates(ctx: Ctx, input: unknown): Promise<ClusterUpdatesList> {
  requirePermission(ctx, 'fleet:read')
  const { only, q, after } = parseInput(ListInput, input)
  const [rows, counts] = await Promise.all([
    clusterUpdates({ only: only ?? null, text: q }, after ? placeOf(after) : null, PAGE + 1),
    countUpdates(q),
  ])
  const last = rows.length > PAGE ? rows[PAGE - 1] : undefined
  return { clusters: rows.slice(0, PAGE).map(dto), counts, next: last ? `${last.rank}.${last.name}` : null }
}

function placeOf(after: string): { rank: number; name: string } {
  const found = /^(-?\d{1,6})\.(.+)$/s.exec(after)
  if (!found) {
    const message = 'This is not a place in the list.'
    throw new ServiceError('invalid', message, { fields: [{ field: 'after', message }] })
  }
  return { rank: Number(found[1]), name: found[2]! }
}

const dto = (row: UpdatesRow): ClusterUpdatesDto => ({
  clusterId: row.clusterId,
  name: row.name,
  version: row.version,
  state: row.state as UpgradeState,
  sentence: row.sentence,
  blockers: row.blockers,
  gatesWaiting: row.gatesWaiting,
  first: firstOf(row),
  underway: row.underway?.version ?? null,
  cluster: { state: row.clusterState, lastHeardAt: row.lastHeardAt?.toISOString() ?? null },
  unheard: row.unheardWhy === null ? null : { since: row.unheardSince?.toISOString() ?? null },
})

function firstOf({ source, item, reason }: UpdatesRow): string | null {
  if (source === 'gate') return `gate ${item}`
  if (source === 'operator') {
    const known = explainReason({ operator: item ?? '', reason: reason ?? '', message: '', next: null })
    return known ? `${item}: ${known.sentence.split('. ')[0]!.replace(/\.$/, '')}` : `${item}: ${reason}`
  }
  return source === null ? null : (OTHERS[source as BlockerSource] ?? reason)
}

const OTHERS: Partial<Record<BlockerSource, string>> = {
  gates: 'a ConfigMap of gates is missing',
  overrides: 'objects are taken from the Cluster Version Operator',
  deletion: 'objects are still being deleted',
  updating: 'an update is under way',
}
