import type { Pool, PoolClient } from 'pg'

/** Clusters of one transaction. */
export const MOST = 50

/** What is counted or judged of whole clusters, each time something that it rests on changes. */
export interface Marked {
  /** Advisory lock: one process at a time, for who began earlier may not write what it read over what is newer. */
  lock: number
  /** To which triggers add the clusters that changed. */
  marks: 'node_image_stale' | 'nodes_behind_stale'
  rows: 'node_image' | 'nodes_behind'
  /** Takes the marks of these clusters away and writes their rows, in one statement. */
  write(client: PoolClient, clusterIds: string[]): Promise<void>
}

/**
 * Works off some of the marks; of how many clusters. It needs no lease: all that it writes follows from what is committed, whoever
 * wrote that. What another process is at is left to it.
 */
export async function workOff(pool: Pool, { lock, marks, write }: Marked): Promise<number> {
  const client = await pool.connect()
  let broken = false
  try {
    await client.query('BEGIN')
    const { rows: locked } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [
      lock,
    ])
    const { rows } = locked[0]!.mine
      ? await client.query<{ id: string }>(`SELECT DISTINCT cluster_id AS id FROM ${marks} ORDER BY 1 LIMIT ${MOST}`)
      : { rows: [] }
    if (rows.length > 0)
      await write(
        client,
        rows.map(({ id }) => id),
      )
    await client.query('COMMIT')
    return rows.length
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
}

/** All is to be looked at anew: by rules that may be newer than those by which it was. */
export async function markAll(pool: Pool, { marks, rows }: Marked): Promise<void> {
  await pool.query(
    `INSERT INTO ${marks} (cluster_id) SELECT id FROM management_cluster UNION SELECT cluster_id FROM ${rows}`,
  )
}
