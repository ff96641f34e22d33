import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { FLEET } from '@/lib/db/queries/testing/node-image-statements'
import { judgedOneByOne, toldBy } from '@/lib/db/queries/testing/node-images'
import { useTestDatabase } from '@/lib/db/testing'
import { forgetRows } from '@/lib/services/clusters/forget-rows'
import { startNodeImages } from './marked'
import type { Rounds } from './rounds'

useTestDatabase()

let rounds: Rounds | undefined
const start = () => (rounds = startNodeImages({ intervalMs: 5 }))
const kept = () => toldBy('node_image n')
/** Without a reader that judges for itself: by what the worker wrote alone. */
const follows = async () => {
  await expect.poll(kept, { timeout: 10_000 }).toEqual(await judgedOneByOne())
  await expect
    .poll(async () => (await pool().query('SELECT 1 FROM node_image_stale')).rows, { timeout: 10_000 })
    .toEqual([])
}

beforeEach(async () => {
  await pool().query('DELETE FROM management_cluster')
  for (const sql of FLEET) await pool().query(sql)
})
afterEach(async () => {
  await rounds?.stop()
  rounds = undefined
})

it('follows machines, sets, nodes and what is said of their cluster', async () => {
  start()
  await follows()
  for (const sql of [
    `UPDATE machine SET boot_image = 'i9' WHERE name = 'm2'`,
    `DELETE FROM machine WHERE name = 'm3'`,
    `UPDATE boot_image_set SET wanted = 'i9'`,
    `DELETE FROM boot_image_set WHERE name = 'w1'`,
    `DELETE FROM config_node WHERE name = 'by-hand'`,
    `UPDATE openshift_cluster SET floor_ocp = '4.99.0'`,
  ]) {
    await pool().query(sql)
    await follows()
  }
})

it('forgets a cluster that was disconnected, whose row stays', async () => {
  start()
  await follows()
  const { id } = await db().managementCluster.findUniqueOrThrow({ where: { name: 'a' } })
  await db().$transaction((tx) => forgetRows(tx, id))
  await follows()
  expect(await db().nodeImage.count({ where: { clusterId: id } })).toBe(0)
  expect(await db().nodeImage.count()).toBeGreaterThan(0)
})

it('judges all anew when it begins, for the rules may be others', async () => {
  await start().stop()
  await db().nodeImage.updateMany({ data: { verdict: 'by another rule' } })
  start()
  await follows()
})

it('goes on where it could not judge', async () => {
  await pool().query('ALTER TABLE node_image RENAME TO away')
  const warn = vi.fn()
  rounds = startNodeImages({ intervalMs: 5, log: { warn } as never })
  await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(1)
  await pool().query('ALTER TABLE away RENAME TO node_image')
  await follows()
})
