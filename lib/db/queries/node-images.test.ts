import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { pool } from '@/lib/db/client'
import { markAll, workOff } from '@/lib/db/read-model/marked'
import { NODE_IMAGES } from '@/lib/db/read-model/node-images'
import { useTestDatabase } from '@/lib/db/testing'
import { NODES } from './node-image-where'
import { FLEET, statement } from './testing/node-image-statements'
import { judgedOneByOne, toldBy } from './testing/node-images'

useTestDatabase()

const run = (sql: string, values: unknown[] = []) => pool().query(sql, values)
const marks = async () => (await run('SELECT DISTINCT cluster_id FROM node_image_stale')).rows.length
const kept = () => toldBy('node_image n')
const judgeAll = async () => {
  while ((await workOff(pool(), NODE_IMAGES)) > 0);
}
/** What a page is told is always what it should be; what is kept is that as soon as it was judged. */
const told = async () => expect(await toldBy(NODES)).toEqual(await judgedOneByOne())
async function right(): Promise<void> {
  await told()
  await judgeAll()
  expect(await marks()).toBe(0)
  expect(await kept()).toEqual(await judgedOneByOne())
  await told()
}

const of = (name: string) => `(SELECT id FROM management_cluster WHERE name = '${name}')`

/** Two clusters as new, judged. */
async function fleet(): Promise<void> {
  await run('DELETE FROM management_cluster')
  for (const sql of FLEET) await run(sql)
  await judgeAll()
}
beforeEach(fleet)

describe('what nodes started from', () => {
  it('is what each machine judged by itself tells, whatever is written, and as soon as it is written', async () => {
    const steps = fc.array(fc.tuple(statement, fc.boolean()), { minLength: 1, maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(steps, async (statements) => {
        await fleet()
        for (const [sql, judged] of statements) {
          await run(sql)
          await (judged ? right() : told())
        }
        await right()
      }),
      { numRuns: 80 },
    )
  }, 120_000)

  it.each([
    ['machines of Cluster API', `INSERT INTO machine (id, cluster_id, provider, namespace, name, workload_cluster, phase, state, sentence, resource_version, created_at)
      SELECT gen_random_uuid(), id, 'cluster.x-k8s.io', 'ns', 'm', 'w', '', 'ready', '', '1', now() FROM management_cluster`],
    ['what machines say from one minute to the next', `UPDATE machine SET sentence = 'other', phase = 'other', resource_version = '2', severity = 3`],
    ['what sets say besides', 'UPDATE boot_image_set SET replicas = 9, reason = outcome'],
    ['what the card says', `UPDATE openshift_cluster SET sentence = 'other', evidence = evidence || '{"items": []}', seen_at = now()`],
    ['what nodes do', `UPDATE config_node SET phase = 'draining', seen_at = now()`],
    ['nothing', 'DELETE FROM machine WHERE false'],
  ])('is not judged anew for %s', async (_what, sql) => {
    await run(sql)
    expect(await marks()).toBe(0)
    await right()
  }) // prettier-ignore

  it('is judged anew for the cluster that changed, and for no other', async () => {
    await run(`UPDATE machine SET boot_image = 'i2' WHERE cluster_id = ${of('b')}`)
    expect(await marks()).toBe(1)
    await right()
  })

  it('is certain by the name of an image only where that is of who publishes it, and not on Azure', async () => {
    const on = (platform: string) => run(`UPDATE openshift_cluster SET platform = $1`, [platform])
    const sure = async (image: string) => {
      await run(`UPDATE machine SET boot_image = $1, boot_image_version = 'RHCOS 9.6.20251023-0'`, [image])
      await right()
      return (await run(`SELECT DISTINCT n.dated_sure FROM ${NODES} WHERE n.boot_image = $1`, [image])).rows
    }
    await on('GCP')
    expect(await sure('projects/rhcos-cloud/global/images/i')).toEqual([{ dated_sure: 'certain' }])
    expect(await sure('projects/acme/global/images/i')).toEqual([{ dated_sure: 'likely' }])
    await on('Azure')
    expect(await sure('redhat:rhcos:9.6:9.6.20251023')).toEqual([{ dated_sure: 'likely' }])
  })

  it('goes with a cluster, from the moment on in which that goes', async () => {
    const [{ id }] = (await run(`DELETE FROM management_cluster WHERE name = 'a' RETURNING id`)).rows as [
      { id: string },
    ]
    expect((await toldBy(NODES)).join()).not.toContain(id)
    await right()
    expect((await kept()).join()).not.toContain(id)
  })

  it('is what it was where a transaction is undone, and nothing is told of one that has not ended', async () => {
    const before = await kept()
    const client = await pool().connect()
    await client.query('BEGIN')
    await client.query(`UPDATE machine SET boot_image = 'i3'`)
    expect(await toldBy(NODES)).toEqual(before)
    // Judged meanwhile: the mark of what comes later is not taken for one that was seen.
    await markAll(pool(), NODE_IMAGES)
    await judgeAll()
    await client.query('COMMIT')
    client.release()
    expect(await marks()).toBe(2)
    expect(await kept()).toEqual(before)
    await right()
  })

  it('is judged by one process at a time', async () => {
    const other = await pool().connect()
    await other.query('BEGIN; SELECT pg_advisory_xact_lock(7207009)')
    await markAll(pool(), NODE_IMAGES)
    expect(await workOff(pool(), NODE_IMAGES)).toBe(0)
    expect(await marks()).toBe(2)
    await other.query('COMMIT')
    other.release()
    expect(await workOff(pool(), NODE_IMAGES)).toBe(2)
    await right()
  })

  it('is right with six who write at once, and three who judge', async () => {
    await run(
      `INSERT INTO machine SELECT (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid()))).* FROM machine m, generate_series(1, 3)`,
    )
    let writing = true
    const write = async (writer: number) => {
      for (let round = 0; round < 15; round++) {
        const client = await pool().connect()
        const mine = `abs(hashtext(id::text)) % 6 = ${writer}`
        await client.query('BEGIN')
        await client.query(
          `UPDATE machine SET boot_image = 'i' || 1 + (random() * 2)::int WHERE ${mine} AND random() < 0.3`,
        )
        await client.query(`UPDATE machine SET node = NULL WHERE ${mine} AND random() < 0.1`)
        if (round % 5 === writer % 5) await client.query(`DELETE FROM machine WHERE ${mine} AND random() < 0.1`)
        await client.query(round % 4 === 3 ? 'ROLLBACK' : 'COMMIT')
        client.release()
      }
    }
    const judging = [1, 2, 3].map(async () => {
      while (writing) await workOff(pool(), NODE_IMAGES)
    })
    await Promise.all([0, 1, 2, 3, 4, 5].map(write))
    writing = false
    await Promise.all(judging)
    await right()
  }, 60_000)
})
