import { pool } from '@/lib/db/client'
import type { Durations, Work } from '@/lib/domain/rollout/forecast'

/** Whose durations an estimate rests on. */
export interface Basis {
  from: 'group' | 'cluster' | 'guess'
  /** Machines that were measured. */
  machines: number
}

export interface Measured {
  durations: Durations
  basis: Record<Work, Basis>
}

export interface DurationsOf {
  clusterId: string
  groupId: string
  groupKind: string
  /** The change is (also) one of version. */
  version: boolean
}

/** Nothing measured: what such machines take in most clouds, said to be a guess wherever it is shown. */
const GUESS: Record<Work, number> = { update: 3 * 60_000, create: 6 * 60_000, delete: 2 * 60_000 }
/** Fewer say little about nine of ten. */
const ENOUGH = 3

const WORKS: Record<string, Work> = { done: 'update', created: 'create', deleted: 'delete' }

const MEASURED = `
SELECT p.state, extract(epoch FROM p.finished_at - p.started_at) * 1000 AS ms
FROM (
  SELECT id FROM change
  WHERE cluster_id = $1 AND ($2::uuid IS NULL OR group_id = $2) AND group_kind = $3 AND (to_version IS NOT NULL) = $4
    AND started_at IS NOT NULL
  ORDER BY detected_at DESC LIMIT 20
) c
JOIN machine_progress p ON p.change_id = c.id
WHERE p.state IN ('done', 'created', 'deleted') AND p.finished_at > p.started_at
ORDER BY p.finished_at DESC LIMIT 600`

/** How long machines took: of this group where enough were measured, else of its like in the same management cluster. */
export async function measured(of: DurationsOf): Promise<Measured> {
  const own = await query(of, of.groupId)
  const others = Object.values(own).every((list) => list.length >= ENOUGH) ? own : await query(of, null)
  const pick = (work: Work): { values: number[]; basis: Basis } => {
    if (own[work].length >= ENOUGH) return { values: own[work], basis: { from: 'group', machines: own[work].length } }
    if (others[work].length >= ENOUGH)
      return { values: others[work], basis: { from: 'cluster', machines: others[work].length } }
    // One that was measured here is nearer to it than any guess.
    if (own[work].length > 0) return { values: own[work], basis: { from: 'group', machines: own[work].length } }
    return { values: [GUESS[work]], basis: { from: 'guess', machines: 0 } }
  }
  const [update, create, remove] = [pick('update'), pick('create'), pick('delete')]
  return {
    durations: { update: update.values, create: create.values, delete: remove.values },
    basis: { update: update.basis, create: create.basis, delete: remove.basis },
  }
}

async function query({ clusterId, groupKind, version }: DurationsOf, groupId: string | null) {
  const found: Record<Work, number[]> = { update: [], create: [], delete: [] }
  const { rows } = await pool().query<{ state: string; ms: string }>(MEASURED, [clusterId, groupId, groupKind, version])
  for (const { state, ms } of rows) {
    const work = WORKS[state]
    if (work) found[work].push(Number(ms))
  }
  return found
}
