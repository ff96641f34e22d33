import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { SKIP_MARK, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import type { KubeObject } from '@/lib/kubernetes/types'
import { as, failure } from '@/testenv/deciding'
import { skippingCluster } from '@/testenv/skipping'
import { restoreAll } from '../remediation/restore-all'
import { kubeClientFor } from './connection'
import { disconnectCluster } from './disconnect-cluster'
import { forgetRows } from './forget-rows'
import { recoverDisconnects } from './recover-disconnect'

useTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const cluster = skippingCluster()
const MACHINES = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machines' }
const is = (state: string) => db().managementCluster.update({ where: { id: cluster.at.clusterId }, data: { state } })
const disconnect = () => disconnectCluster(as('admin'), { clusterId: cluster.at.clusterId, confirm: 'm' })

// In the middle of its update in place; the worker has seen the mark on it.
beforeEach(async () => {
  await is('connected')
  await cluster.marked()
  await cluster.fares({ state: 'updating', startedAt: new Date() })
  await cluster.look({ updating: true })
  await cluster.round()
})

async function lookAndRound(): Promise<void> {
  await cluster.look({ updating: true })
  await cluster.round()
}

/** Another machine of the group that bears the mark of the same change. */
async function alsoMarked(): Promise<KubeObject> {
  const { held, machine, at } = cluster
  const all = await at.cluster.machines(held.namespace, held.name.replace(/-md$/, ''))
  const other = all.find(({ metadata }) => metadata.name !== machine.metadata.name)!
  const { uid: id, name } = other.metadata
  const metadata = { annotations: cluster.ours() }
  const marked = await at.cluster.admin.patch(MACHINES, name, held.namespace, 'merge', { metadata })
  const row = await db().machine.findUniqueOrThrow({ where: { id: machine.metadata.uid } })
  const rest = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as object
  await db().machine.create({ data: { ...rest, id, name } as never })
  return marked
}

test('connected again while it takes the skipping of remediation back: it goes on with no further machine, and what it took is put back', async () => {
  const { name, namespace } = (await alsoMarked()).metadata
  const client = await kubeClientFor(cluster.at.clusterId)
  const { patch } = client
  // Its first patch stands still meanwhile.
  client.patch = async (...args) => {
    client.patch = patch
    expect(await recoverDisconnects(0)).toEqual(['m'])
    return patch(...args)
  }
  expect((await failure(disconnect())).code).toBe('conflict')
  const { annotations } = (await cluster.at.cluster.admin.get(MACHINES, name, namespace)).metadata
  expect(annotations).toMatchObject(cluster.ours())
  await lookAndRound()
  expect(await cluster.marks()).toEqual(cluster.ours())
})

test.each(['running', 'rejected'])(
  'what fails after it took that back puts it back, also of what is %s',
  async (state) => {
    await cluster.is({ state })
    const client = await kubeClientFor(cluster.at.clusterId)
    const { patch } = client
    client.patch = async (...args) => {
      const stored = await patch(...args)
      client.patch = patch
      await recoverDisconnects(0)
      return stored
    }
    expect((await failure(disconnect())).code).toBe('conflict')
    expect(await cluster.marks()).toEqual({})
    await lookAndRound()
    expect(await cluster.marks()).toEqual(cluster.ours())
    // Whoever takes it away from now on is not fought.
    await cluster.look({ updating: true })
    await cluster.annotate({ [SKIPS_REMEDIATION]: null, [SKIP_MARK]: null })
    await lookAndRound()
    expect(await cluster.marks()).toEqual({})
  },
)

test('and where the cluster is connected again just as that is taken back', async () => {
  await cluster.is({ state: 'rejected' })
  await is('disconnected')
  await restoreAll(cluster.at.clusterId, async () => void (await is('connected')))
  expect(await cluster.marks()).toEqual({})
  await lookAndRound()
  expect(await cluster.marks()).toEqual(cluster.ours())
})

test('so does the worker, where it was the one that took it back', async () => {
  await cluster.is({ state: 'rejected' })
  await is('disconnected')
  await cluster.round()
  expect(await cluster.marks()).toEqual({})
  await is('connected')
  await lookAndRound()
  expect(await cluster.marks()).toEqual(cluster.ours())
})

test('and where it finds taken what it was about to take back itself', async () => {
  await cluster.is({ state: 'rejected' })
  await is('disconnected')
  await restoreAll(cluster.at.clusterId, () => Promise.resolve())
  // Its row shows the mark still.
  await cluster.round()
  await is('connected')
  await lookAndRound()
  expect(await cluster.marks()).toEqual(cluster.ours())
})

test('of a cluster that was left nothing is put back', async () => {
  await is('disconnected')
  await restoreAll(cluster.at.clusterId, () => Promise.resolve())
  await db().$transaction((tx) => forgetRows(tx, cluster.at.clusterId))
  expect(await db().remediationSkip.count()).toBe(0)
  await is('connected')
  await lookAndRound()
  expect(await cluster.marks()).toEqual({})
})
