import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { unknownKey, type UnknownError } from '@/lib/domain/errors'
import { arrayText } from './array'

/** How many are kept; the least recent go. */
export const UNKNOWN_KEPT = 500

export interface Counted extends UnknownError {
  /** How many machines have it now that had not before. */
  count: number
}

/** By id, so that two workers that write at once take their rows in the same order. */
const SQL = `
INSERT INTO unknown_error AS t (id, provider, condition, reason, message, example, count)
SELECT id, provider, condition, reason, message, example, greatest(count, 1) FROM
  unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
  AS r(id, provider, condition, reason, message, example, count) ORDER BY id
ON CONFLICT (id) DO UPDATE SET last_seen = now(), example = EXCLUDED.example,
  count = t.count + (SELECT r.count FROM unnest($1::text[], $7::bigint[]) AS r(id, count) WHERE r.id = EXCLUDED.id)`

const PRUNE = `
DELETE FROM unknown_error WHERE id IN (
  SELECT id FROM unknown_error WHERE id NOT IN (SELECT id FROM unknown_error ORDER BY last_seen DESC, id LIMIT $1)
  FOR UPDATE SKIP LOCKED)`

const unknownId = (error: UnknownError): string => createHash('sha256').update(unknownKey(error)).digest('hex')

/** Adds to what was counted before. */
export async function writeUnknownErrors(pool: Pool, errors: readonly Counted[]): Promise<void> {
  const rows = errors.map((error) => ({ ...error, id: unknownId(error) }))
  const fields = ['id', 'provider', 'condition', 'reason', 'message', 'example', 'count']
  await pool.query(
    SQL,
    fields.map((field) => arrayText(rows, field)),
  )
  await pool.query(PRUNE, [UNKNOWN_KEPT])
}

/** Machines of a cluster whose error was counted before this worker, with the error. */
export async function countedBefore(pool: Pool, clusterId: string): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; error: string }>(
    'SELECT id, error FROM machine WHERE cluster_id = $1 AND error IS NOT NULL',
    [clusterId],
  )
  return new Map(rows.map(({ id, error }) => [id, error]))
}
