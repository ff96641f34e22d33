import type { Pool } from 'pg'
import { judged, JUDGED_COLUMNS } from '../queries/node-image-judged'

/** Of one process at a time: who began earlier may not write what it read over what is newer. */
const LOCK = 7_207_009
/** Clusters of one transaction. */
export const MOST = 50

const COLUMNS = JUDGED_COLUMNS.split(',').map((column) => column.trim())
const TOLD = COLUMNS.filter((column) => column !== 'id')
const list = (of: string): string => TOLD.map((column) => `${of}.${column}`).join(', ')

/**
 * The marks that are seen go with what was judged of the same moment; a mark of a transaction that ends later stays. Of clusters that
 * are gone, nothing is found, and their rows go.
 */
const JUDGE = `WITH seen AS (DELETE FROM node_image_stale WHERE cluster_id = ANY($1::uuid[])),
  now AS MATERIALIZED (${judged('$1::uuid[]')}),
  gone AS (DELETE FROM node_image k WHERE k.cluster_id = ANY($1::uuid[]) AND NOT EXISTS (SELECT 1 FROM now WHERE now.id = k.id))
  INSERT INTO node_image AS k (${JUDGED_COLUMNS}) SELECT ${JUDGED_COLUMNS} FROM now
  ON CONFLICT (id) DO UPDATE SET (${TOLD.join(', ')}) = (${list('EXCLUDED')}) WHERE (${list('k')}) IS DISTINCT FROM (${list('EXCLUDED')})`

/**
 * Judges some of the clusters that changed since they were judged; how many. It needs no lease: all that it writes follows from what is
 * committed, whoever wrote that. What another process is at is left to it.
 */
export async function judgeStale(pool: Pool): Promise<number> {
  const client = await pool.connect()
  let broken = false
  try {
    await client.query('BEGIN')
    const { rows: locked } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [
      LOCK,
    ])
    const { rows } = locked[0]!.mine
      ? await client.query<{ id: string }>(
          `SELECT DISTINCT cluster_id AS id FROM node_image_stale ORDER BY 1 LIMIT ${MOST}`,
        )
      : { rows: [] }
    if (rows.length > 0) await client.query(JUDGE, [rows.map(({ id }) => id)])
    await client.query('COMMIT')
    return rows.length
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
}

/** All is judged anew: by rules that may be newer than those by which it was. */
export async function markAll(pool: Pool): Promise<void> {
  await pool.query(
    'INSERT INTO node_image_stale (cluster_id) SELECT id FROM management_cluster UNION SELECT cluster_id FROM node_image',
  )
}
