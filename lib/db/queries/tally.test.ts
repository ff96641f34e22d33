import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'

useTestDatabase()

const KIND = `cluster_id, workload_cluster, namespace, control_plane, phase, state, verdict`
const COUNTED = `SELECT ${KIND}, coalesce(version_key, '') AS version_key, coalesce(failure_domain, '') AS failure_domain,
  error IS NOT NULL AS error, ready, available, verdict <> 'up-to-date' OR up_to_date IS FALSE AS outdated, count(*) AS n
  FROM machine GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13`
const KEPT = `SELECT ${KIND}, version_key, failure_domain, error, ready, available, outdated, sum(n) AS n
  FROM machine_tally GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 HAVING sum(n) <> 0`

/** Kinds of machines whose kept count is not what counting says. */
async function wrong(): Promise<unknown[]> {
  const { rows } = await pool().query(
    `(${COUNTED} EXCEPT ALL ${KEPT}) UNION ALL (${KEPT} EXCEPT ALL ${COUNTED})`.replaceAll(
      'count(*) AS n',
      'count(*)::bigint AS n',
    ),
  )
  return rows
}

const INSERT = `INSERT INTO machine (id, cluster_id, provider, namespace, name, workload_cluster, phase, state, sentence, resource_version, created_at)
  SELECT gen_random_uuid(), c.id, 'p', 'ns', 'm' || i, 'w' || i % 3, 'Running', 'ready', '', '1', now()
  FROM management_cluster c, generate_series(1, 60) i`
const STATES = ['ready', 'failed', 'updating']
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
/** Every writer changes some machines of its own, so that they meet in the counts and not in the rows. */
const some = (writer: number) => `abs(hashtext(id::text)) % 6 = ${writer} AND random() < 0.4`

beforeAll(async () => {
  await pool().query(
    `INSERT INTO management_cluster (id, name, server) VALUES (gen_random_uuid(), 'a', ''), (gen_random_uuid(), 'b', '')`,
  )
})
beforeEach(async () => {
  await pool().query('TRUNCATE machine')
  await pool().query(INSERT)
})

describe('the counts of machines', () => {
  it('stay right whatever is written, by one statement or by a transaction that is undone', async () => {
    expect(await wrong()).toEqual([])
    await pool().query(
      `UPDATE machine SET version_key = '000001.000034.000000~', failure_domain = 'z', error = 'e' WHERE name LIKE '%1'`,
    )
    await pool().query(`UPDATE machine SET up_to_date = false, ready = true, verdict = 'replace' WHERE name LIKE '%2'`)
    await pool().query(`DELETE FROM machine WHERE name LIKE '%3'`)
    await pool().query(`INSERT INTO machine SELECT * FROM machine ON CONFLICT (id) DO UPDATE SET state = 'failed'`)
    expect(await wrong()).toEqual([])
    const client = await pool().connect()
    await client.query('BEGIN')
    await client.query('DELETE FROM machine')
    await client.query('ROLLBACK')
    client.release()
    expect(await wrong()).toEqual([])
    const { rows } = await pool().query('SELECT sum(n)::int AS n FROM machine_tally')
    expect(rows).toEqual([{ n: 108 }])
  })

  it('stay right with six writers at once, none of whom waits for another', async () => {
    const write = async (writer: number) => {
      for (let round = 0; round < 12; round++) {
        const client = await pool().connect()
        try {
          await client.query('BEGIN')
          await client.query(`UPDATE machine SET state = '${pick(STATES)}' WHERE ${some(writer)}`)
          await client.query(`UPDATE machine SET workload_cluster = 'w${pick([0, 1, 2, 3])}' WHERE ${some(writer)}`)
          if (round % 5 === writer % 5)
            await client.query(`DELETE FROM machine WHERE ${some(writer)} AND random() < 0.2`)
          if (round % 6 === writer) await client.query(INSERT)
          await client.query(pick(['COMMIT', 'COMMIT', 'ROLLBACK']))
        } finally {
          client.release()
        }
      }
    }
    await Promise.all([0, 1, 2, 3, 4, 5].map(write))
    expect(await wrong()).toEqual([])
  }, 60_000)

  it('go with a management cluster, and with everything', async () => {
    await pool().query(`DELETE FROM management_cluster WHERE name = 'b'`)
    expect(await wrong()).toEqual([])
    expect((await pool().query('SELECT sum(n)::int AS n FROM machine_tally')).rows).toEqual([{ n: 60 }])
    await pool().query('TRUNCATE machine')
    expect((await pool().query('SELECT * FROM machine_tally')).rows).toEqual([])
  })
})
