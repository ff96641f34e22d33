import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { db, type Tx } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { failure } from '@/testenv/deciding'
import { systemCtx } from '../context'
import { addCluster } from './add-cluster'
import { requireConnected } from './connected'
import { closeClients } from './connection'
import { disconnectCluster } from './disconnect-cluster'

useTestDatabase()
const ctx = systemCtx('test')
let cluster: SandboxTestCluster
let clusterId: string

beforeAll(async () => void (cluster = await sandboxTestCluster()))
beforeEach(async () => {
  await db().managementCluster.deleteMany()
  clusterId = (await addCluster(ctx, { name: 'm', kubeconfig: cluster.kubeconfig })).clusterId
})
afterAll(async () => {
  await closeClients()
  await cluster?.stop()
})

/** Somebody of this database waits for a row that another transaction has locked. */
async function untilSomebodyWaits(): Promise<void> {
  const waiting = async () => {
    const [row] = await db().$queryRaw<{ n: number }[]>`
      SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple')`
    return row!.n
  }
  await expect.poll(waiting, { timeout: 15_000 }).toBeGreaterThan(0)
}

/** A transaction that stays open until it is told to end. */
function open(work: (tx: Tx) => Promise<unknown>): { began: Promise<void>; end: () => Promise<void> } {
  let began = (): void => undefined
  let go = (): void => undefined
  const start = new Promise<void>((resolve) => (began = resolve))
  const gate = new Promise<void>((resolve) => (go = resolve))
  const done = db().$transaction(async (tx) => {
    await work(tx)
    began()
    await gate
  })
  return { began: Promise.race([start, done]), end: () => (go(), done) }
}

const change = (tx: Tx) =>
  tx.change.create({
    data: {
      ...{ clusterId, groupId: clusterId, groupKind: 'MachineDeployment', namespace: 'n', groupName: 'g' },
      ...{ workloadCluster: 'w', fingerprint: 'f', state: 'waiting', summary: 's', changeSet: {}, outlook: {} },
      ...{ heldBy: 'latch', resourceVersion: '1', machines: 1 },
    },
  })

test('a disconnect waits for a decision that is being written, and then sees it', async () => {
  const deciding = open(async (tx) => {
    await requireConnected(tx, clusterId)
    const { id: changeId } = await change(tx)
    await tx.decision.create({
      data: { changeId, fingerprint: 'f', mode: 'replace', actorId: 'a', actorName: 'Ada' },
    })
  })
  await deciding.began
  const disconnecting = failure(disconnectCluster(ctx, { clusterId, confirm: 'm' }))
  await untilSomebodyWaits()
  await deciding.end()
  expect(await disconnecting).toMatchObject({ code: 'conflict', message: 'A decision is being applied right now.' })
  expect(await db().clusterCredential.count({ where: { clusterId } })).toBe(1)
})

test('a decision waits for a disconnect that is being written, and is then refused', async () => {
  const disconnecting = open((tx) =>
    tx.managementCluster.update({ where: { id: clusterId }, data: { state: 'disconnected' } }),
  )
  await disconnecting.began
  const deciding = failure(db().$transaction((tx) => requireConnected(tx, clusterId)))
  await untilSomebodyWaits()
  await disconnecting.end()
  expect(await deciding).toMatchObject({ code: 'conflict' })
})

test('decisions on one cluster do not wait for each other', async () => {
  const deciding = open((tx) => requireConnected(tx, clusterId))
  await deciding.began
  await db().$transaction((tx) => requireConnected(tx, clusterId))
  await deciding.end()
})
