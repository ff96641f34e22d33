import { pool } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { POOL } from '@/lib/domain/latch/hold'

/**
 * Of what has begun, and is held in the middle. `busy`: some of it is still at it. A degraded node that has begun is tried again until
 * it is through, whatever holds its pool; a machine that failed is at it again as soon as it says no error any more. `moves`: machines
 * that nothing of it began go or come meanwhile: a health check has them remediated, or somebody deletes them. What is deleted for so
 * long already was seen.
 */
const MIDWAY = `
SELECT min(p.started_at) AS since, coalesce(bool_or(p.started_at IS NOT NULL AND p.finished_at IS NULL
    AND (c.group_kind = $2 OR p.state <> 'failed' OR (m.id IS NOT NULL AND m.error IS NULL))), false) AS busy,
  c.group_kind <> $2 AND min(p.started_at) IS NOT NULL AND (
    coalesce(bool_or(p.state = 'deleting' OR (p.state <> 'deleted' AND m.id IS NULL) OR (m.deleting AND p.state <> 'deleting')), false)
    OR EXISTS (SELECT 1 FROM machine n WHERE n.cluster_id = c.cluster_id AND n.group_kind = c.group_kind AND n.namespace = c.namespace
      AND n.group_name = c.group_name AND NOT EXISTS (SELECT 1 FROM machine_progress k WHERE k.change_id = c.id AND k.machine_id = n.id))
  ) AS moves,
  (SELECT max(voided_at) FROM decision d WHERE d.change_id = c.id AND d.mode <> 'reject' AND d.accepted_at IS NOT NULL) AS "heldAt"
FROM change c LEFT JOIN machine_progress p ON p.change_id = c.id LEFT JOIN machine m ON m.id = p.machine_id
WHERE c.id = $1::uuid GROUP BY c.id`

export interface Midway {
  /** When the first of its machines began. */
  since: Date
  busy: boolean
  moves: boolean
  /** When what let it go was over; null: nothing ever did. */
  heldAt: Date | null
}

/** Null: nothing of it has begun. */
export async function whileHeld({ id }: Pick<Change, 'id'>): Promise<Midway | null> {
  const { rows } = await pool().query<Omit<Midway, 'since'> & { since: Date | null }>(MIDWAY, [id, POOL])
  const [row] = rows
  return row?.since ? { ...row, since: row.since } : null
}

/** So long after it was held, its managers may begin to delete what they had chosen by then. */
const CHOSEN_MS = 10_000

/** Whether a machine that goes began to do so only while its group was held: its rollout begins nothing then. */
export const wentWhileHeld = (deletingSince: Date | null, heldAt: Date | null): boolean =>
  heldAt !== null && (deletingSince === null || deletingSince.getTime() > heldAt.getTime() + CHOSEN_MS)

/** Made by others, in the place of what went. */
export const madeSince = ({ state, startedAt }: { state: string; startedAt: Date | null }, heldAt: Date): boolean =>
  state === 'created' && startedAt !== null && startedAt.getTime() > heldAt.getTime() + CHOSEN_MS
