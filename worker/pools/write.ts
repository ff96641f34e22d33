import type { PoolClient } from 'pg'
import { pool } from '@/lib/db/client'
import { announcing } from '@/lib/db/notify'
import { CONFIG_NODES, CONFIG_POOLS, type Table } from '@/lib/db/read-model/tables'
import { changedIn, deleteRows, pruneRows, upsertRows } from '@/lib/db/read-model/write'
import { ownedSql } from '../owned'

export interface Rows {
  upsert: { id: string }[]
  remove: string[]
  /** All that there are, where what was written before is not known. */
  only?: string[]
}

export interface Write {
  clusterId: string
  fence: bigint
  pools: Rows
  nodes: Rows
  heardAt?: number
}

const OWNED = `SELECT ${ownedSql('$1::uuid', '$2')} AS mine`

/** Writes what is new of a cluster's pools and their nodes, all or nothing. False: another worker owns the cluster by now. */
export async function writePools({ clusterId, fence, pools, nodes, heardAt }: Write): Promise<boolean> {
  const client = await pool().connect()
  let broken = false
  try {
    await client.query('BEGIN')
    const { rows } = await client.query<{ mine: boolean }>(OWNED, [clusterId, fence])
    const { mine } = rows[0]!
    if (mine) {
      const counts = [
        await write(client, CONFIG_POOLS, clusterId, pools),
        await write(client, CONFIG_NODES, clusterId, nodes),
      ]
      if (counts.some((count) => count > 0))
        await client.query(announcing(client, { topic: 'pools', cluster: clusterId, heardAt }))
    }
    await client.query('COMMIT')
    return mine
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
}

async function write(client: PoolClient, table: Table, clusterId: string, rows: Rows): Promise<number> {
  const gone = rows.only
    ? await pruneRows(client, table, clusterId, {}, rows.only)
    : await deleteRows(client, table, clusterId, rows.remove)
  return changedIn(gone, await upsertRows(client, table, clusterId, rows.upsert)).count
}
