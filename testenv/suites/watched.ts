import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { HELD, PAUSED, SEEN_STORED } from '@/lib/domain/latch/names'
import { discoverCapabilities } from '@/lib/kubernetes/discovery'
import type { KubeClient } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { installLatch } from '@/lib/services/latch/install-latch'
import { latchWatchConsumer } from '@/worker/latch-watch/index'
import { plannerConsumer } from '@/worker/planner/index'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from '../process'
import type { TestCluster } from '../types'
import { ctx, isControlPlane, OLD, versionOf } from './governing'
import { KCP, MD } from './watching'

const [NEW, NEWER] = ['v1.34.1', 'v1.34.2']
// Others may share the cluster.
const WATCHED = { 'drydock.dev/watched': 'yes' }
const TOO_OLD = { policy: null, webhook: false, guard: false }

/** What watching and pausing promises where the API server carries nothing: here one that does not tell of what it could. */
export function watchedSuite(open: () => Promise<TestCluster>): void {
  let cluster: TestCluster
  let clusterId: string
  let worker: Worker | null = null
  let namespace: string

  const discover = async (client: KubeClient) => ({ ...(await discoverCapabilities(client)), latch: TOO_OLD })
  const start = async () => {
    worker = await startWorker({ discover, consumers: [latchWatchConsumer, plannerConsumer], parts: [] })
  }
  const stop = async () => {
    await worker?.stop()
    worker = null
  }

  beforeAll(async () => {
    cluster = await open()
    namespace = await cluster.namespace(WATCHED)
    const workers = { replicas: 3, maxSurge: 1, maxUnavailable: 0 }
    await cluster.workloadCluster({
      ...{ namespace, name: 'one', version: OLD, controlPlane: { replicas: 3, maxSurge: 1 }, workers },
    })
    clusterId = (await addCluster(ctx, { name: 'old', kubeconfig: cluster.kubeconfig })).clusterId
    const { discovery } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
    const data = { discovery: { ...(discovery as object), latch: { ...TOO_OLD } } }
    await db().managementCluster.update({ where: { id: clusterId }, data })
    await start()
    const [labelKey, labelValue] = Object.entries(WATCHED)[0]!
    const { status } = await installLatch(ctx, { clusterId, governs: 'namespace-label', labelKey, labelValue })
    expect(status).toMatchObject({ state: 'watching' })
    await until('the groups to be known', async () => (await known()) === 2, { ms: 60_000 })
  })
  afterAll(async () => {
    await stop()
    await closeClients()
    await cluster?.stop()
  })

  const known = () =>
    db().group.count({ where: { clusterId, namespace, watched: { not: null }, letGo: { not: null } } })
  const machines = (plane: boolean) =>
    cluster.machines(namespace, 'one').then((all) => all.filter((m) => isControlPlane(m) === plane))
  const versions = async (plane: boolean) => (await machines(plane)).map(versionOf).sort()
  const held = async (kind: typeof MD, name: string) => {
    const annotations = async () => (await cluster.admin.get(kind, name, namespace)).metadata.annotations ?? {}
    const both = async () => HELD in (await annotations()) && PAUSED in (await annotations())
    await until(`${name} to be paused`, both, { ms: 30_000, every: 20 })
    expect((await annotations())[HELD]).toBe(SEEN_STORED)
  }
  const change = async (name: string, state: string, toVersion: string) => {
    const find = () => db().change.findFirst({ where: { clusterId, groupName: name, state, toVersion } })
    await until(`${name} to be ${state}`, async () => (await find()) !== null, { ms: 240_000, every: 200 })
    return (await find())!
  }
  const approve = async (name: string, to: string) => {
    const { id, fingerprint } = await change(name, 'waiting', to)
    return approveChange(ctx, { changeId: id, fingerprint, mode: 'replace', typedName: name })
  }
  const workers = (version: string) =>
    cluster.admin.patch(MD, 'one-md', namespace, 'merge', { spec: { template: { spec: { version } } } })
  /** Twice the same, with time for a controller to begin in between. */
  const settled = async (plane: boolean) => {
    let before = ''
    const same = async () => {
      const now = JSON.stringify(await versions(plane))
      const is = now === before
      before = now
      return is
    }
    await until('nothing to move any more', same, { ms: 60_000, every: 4_000 })
    return versions(plane)
  }

  test('a MachineDeployment is paused when its change is seen: at most what its sets were told comes to be', async () => {
    const since = Date.now()
    await workers(NEW)
    await held(MD, 'one-md')
    const took = Date.now() - since
    const now = await settled(false)
    expect(
      now.filter((v) => v === OLD),
      `paused after ${took} ms`,
    ).toHaveLength(3)
    expect(now.filter((v) => v === NEW).length).toBeLessThanOrEqual(1)
    const { id } = await change('one-md', 'waiting', NEW)
    const { late } = await getUpdate(ctx, id)
    expect(late).toMatchObject({ updating: 0, deleting: 0 })
    await approve('one-md', NEW)
    await change('one-md', 'done', NEW)
    expect(await versions(false)).toEqual([NEW, NEW, NEW])
  })

  test('a control plane is paused before, or right after, its first new machine', async () => {
    await cluster.admin.patch(KCP, 'one-cp', namespace, 'merge', { spec: { version: NEW } })
    await held(KCP, 'one-cp')
    const now = await settled(true)
    expect(now.filter((v) => v === OLD)).toHaveLength(3)
    expect(now.filter((v) => v === NEW).length).toBeLessThanOrEqual(1)
    await approve('one-cp', NEW)
    await change('one-cp', 'done', NEW)
  })

  test('what rolled while no worker ran is paused where it is when one is back, and what had begun goes on', async () => {
    await stop()
    await workers(NEWER)
    await until('a machine to have begun', async () => (await versions(false)).includes(NEWER), {
      ms: 60_000,
      every: 50,
    })
    await start()
    await held(MD, 'one-md')
    const { id } = await change('one-md', 'waiting', NEWER)
    const begun = async () => {
      const { late } = await getUpdate(ctx, id)
      return late !== null && late.there + late.coming > 0
    }
    await until('what had begun to be told', begun, { ms: 60_000, every: 200 })
    const now = await settled(false)
    expect(now).toContain(NEW)
    expect(now).toContain(NEWER)
    await approve('one-md', NEWER)
    await change('one-md', 'done', NEWER)
  })
}
