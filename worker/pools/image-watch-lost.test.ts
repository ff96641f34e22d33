import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { pino } from 'pino'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { KubeError, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { clientSource } from '@/lib/providers/cluster-api/changes'
import { OS_CONFIGS } from '@/lib/providers/openshift/built'
import { letGoOf } from '@/lib/services/changes/let-go'
import { closeClients, kubeClientFor } from '@/lib/services/clusters/connection'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { installLatch } from '@/lib/services/latch/install-latch'
import { watchNow, watchStatus } from '@/lib/services/latch/watch-now'
import { getPool } from '@/lib/services/pools/get-pool'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, until } from '@/testenv/governed-pools'
import { startGate, type Gate } from '../gate'
import { lookAtGroups } from '../latch-watch/look'
import { watchOf } from '../latch-watch/watch'
import type { PlanContext } from '../planner/common'
import { CoverageBook } from '../planner/coverage'
import type { ClusterView, Heard } from '../types'
import { startWorker, type Worker } from '../worker'
import { poolsConsumer } from '.'
import { POOL_RESOURCES } from './objects'
import { planPool } from './plan-pool'

// What is built for a pool is told by a watch of its own, which may be away, or behind, while that of nodes goes on.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

const image = (round: number) => `registry.example/os@sha256:${String(round).repeat(64)}`
let gate: Gate
let latched: GovernedPools
let watched: GovernedPools
let worker: Worker | null = null

beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  latched = await GovernedPools.start('anker', 20)
  watched = await GovernedPools.start('tidal', 20)
  worker = await follow()
  const { clusterId } = latched
  await until('its pools', () => db().group.findFirst({ where: { clusterId, name: 'worker' } }))
  const webhookUrl = `${gate.url}/latch`
  await installLatch(as('admin'), { clusterId, governs: 'all', pools: 'same-write', webhookUrl })
  await installLatch(as('admin'), { clusterId: watched.clusterId, governs: 'all' })
  await latched.governed()
  await watched.governed(true)
})
afterAll(async () => {
  await worker?.stop()
  await gate?.stop()
  await closeClients()
  for (const at of [latched, watched]) await at?.stop()
})
afterEach(() => vi.restoreAllMocks())

/** The worker of before is gone; the next one keeps rows, and plans only when a test says so. */
async function handOver(to: 'planning' | 'rows'): Promise<void> {
  await worker?.stop()
  const quiet = { parts: [], intervalMs: 20, tickMs: 100, log: pino({ level: 'silent' }) }
  worker = to === 'planning' ? await follow() : await startWorker({ consumers: [poolsConsumer], ...quiet })
  if (to === 'rows')
    for (const { clusterId } of [latched, watched])
      await until('the lease', () => db().clusterLease.findFirst({ where: { clusterId, until: { gt: new Date() } } }))
}

interface Shown {
  /** As the watch has it, which is not followed now where `now` says so. */
  built?: KubeObject[]
  heard?: Heard
  now?: Heard
  client?: Partial<KubeClient>
}

async function contextOf(at: GovernedPools, shown: Shown): Promise<PlanContext & { view: ClusterView }> {
  const { clusterId, name } = at
  const [client, cluster, { fence }] = await Promise.all([
    kubeClientFor(clusterId),
    db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } }),
    db().clusterLease.findFirstOrThrow({ where: { clusterId } }),
  ])
  const capabilities = cluster.discovery as unknown as Capabilities
  const { built = [], heard = 'listed', now = heard } = shown
  const known: Record<string, KubeObject[]> = { [OS_CONFIGS]: built, [POOL_RESOURCES.pools]: [poolOf(at)] }
  const objects = (resource: string) => new Map((known[resource] ?? []).map((one) => [one.metadata.name, one]))
  const asked = Object.create(client, Object.getOwnPropertyDescriptors(shown.client ?? {})) as KubeClient
  const of = (what: Heard) => (resource: string) => (resource === OS_CONFIGS ? what : 'listed')
  return {
    view: { clusterId, name, client: asked, capabilities, fence, objects, heard: of(heard), heardNow: of(now) },
    source: clientSource({ client, resources: capabilities.resources, letGo: (uid) => letGoOf(clusterId, uid) }),
    ...{ book: new CoverageBook(), later: () => undefined },
  }
}
const poolOf = (at: GovernedPools) => ({ ...at.pool(), kind: 'MachineConfigPool' }) as KubeObject
const planned = async (at: GovernedPools, shown: Shown) => planPool(await contextOf(at, shown), poolOf(at))
const configs = (at: GovernedPools) => [structuredClone(at.server.store.get(OS_CONFIGS, 'worker')) as KubeObject]
const refusing = (code: number, message: string, call: string) => () =>
  Promise.reject(new KubeError(code, { kind: 'Status', code, message }, call))

/** Nodes that are told of something stay on their way until this ends. */
const drains = async (at: GovernedPools, how: 'blocked' | null) => {
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', how)
}
const atOnce = (at: GovernedPools) => (at.pool().spec?.maxUnavailable as number | undefined) ?? 1

const changes = async (at: GovernedPools) =>
  (
    await db().change.findMany({
      where: { clusterId: at.clusterId, groupName: 'worker' },
      orderBy: { detectedAt: 'asc' },
    })
  ).map(({ id, state, heldBy }) => ({ id, state, heldBy }))
const unheld = (at: GovernedPools) =>
  db().auditEvent.count({ where: { clusterId: at.clusterId, action: 'change.not-held' } })
/** Rows of nodes say that one of them is told of this image. */
const told = (at: GovernedPools, round: number) =>
  until(`a node to be told of ${round}`, async () => {
    const { clusterId } = at
    return (await db().configNode.count({ where: { clusterId, desiredImage: image(round) } })) > 0
  })
const group = (at: GovernedPools) => db().group.findFirstOrThrow({ where: { clusterId: at.clusterId, name: 'worker' } })

test('what a worker that begins is not told yet ends no approved rollout, and lets nothing go', async () => {
  const at = watched
  await at.build(image(1))
  const first = await at.waits(image(1))
  await drains(at, 'blocked')
  await at.approve(first)
  await at.change('running')
  await told(at, 1)
  await handOver('rows')
  const before = { ...(await group(at)), ...at.pool().metadata }
  const { view } = await contextOf(at, { heard: 'open' })
  const name = `${POOL_RESOURCES.pools} worker`
  expect(await lookAtGroups(view, (await watchOf(view))!, [name])).toEqual({ unknown: [name], later: [], failed: [] })
  await planned(at, { heard: 'open' })
  // Nor one of which the watch is away for a moment, whether or not the API server answers meanwhile.
  await planned(at, { built: configs(at), now: 'open' })
  await planned(at, { built: configs(at), now: 'open', client: { list: refusing(503, 'busy', 'LIST') } })
  expect(at.isHeld()).toBe(false)
  expect((await changes(at)).at(-1)).toMatchObject({ id: first.id, state: 'running' })
  expect(await group(at)).toMatchObject({ watched: before.watched, letGo: before.letGo })
  await drains(at, null)
  await handOver('planning')
  await at.change('done')
  expect(await unheld(at)).toBe(0)
})

test.each<[string, Partial<Shown>]>([
  ['is away', { now: 'open' }],
  ['is behind', {}],
  ['is away, and nobody answers', { now: 'open', client: { list: refusing(503, 'busy', 'LIST') } }],
])(
  'the watch %s: an image that nobody approved is held when nodes are told of it, and is not what was let go',
  async (how, shown) => {
    const at = latched
    const [before, after] = { 'is away': [1, 2], 'is behind': [3, 4] }[how] ?? [5, 6]
    await at.build(image(before!))
    await at.approve(await at.waits(image(before!)))
    await at.change('done')
    await until('it to be known', async () => (await group(at)).letGo?.includes('+'))
    const built = configs(at)
    await handOver('rows')
    await drains(at, 'blocked')
    await at.build(image(after!))
    await told(at, after!)
    const known = await changes(at)
    await until('it to be held', async () => {
      await planned(at, { built, ...shown })
      return at.isHeld()
    })
    await planned(at, { built, ...shown })
    expect(at.toldImage(image(after!)).length).toBeLessThanOrEqual(atOnce(at))
    // Nothing of it ever counted as running, or as done.
    expect((await changes(at)).slice(known.length).map(({ heldBy }) => heldBy)).not.toContain('none')
    await drains(at, null)
    await handOver('planning')
    await at.approve(await at.waits(image(after!)))
    await at.change('done')
  },
)

test('where its hold is refused it moves, which is on record, and somebody is told', async () => {
  const at = latched
  await until('it to be known', async () => (await group(at)).letGo)
  await handOver('rows')
  await drains(at, 'blocked')
  await at.build(image(7))
  await told(at, 7)
  const patch = refusing(403, 'denied by another webhook', 'PATCH')
  const before = await unheld(at)
  await planned(at, { built: configs(at), client: { patch } })
  await planned(at, { built: configs(at), client: { patch } })
  expect(at.isHeld()).toBe(false)
  const { id, state } = (await changes(at)).at(-1)!
  expect(state).toBe('running')
  expect(await unheld(at)).toBe(before + 1)
  expect(JSON.stringify(await needsYou(as('approver'), {}))).toContain(id)
  // What only changed meanwhile is no refusal.
  const conflict = refusing(409, 'the object has been modified', 'PATCH')
  await db().change.delete({ where: { id } })
  await planned(at, { built: configs(at), client: { patch: conflict } })
  expect((await changes(at)).map((one) => one.id)).not.toContain(id)
  expect(await unheld(at)).toBe(before + 1)
  await drains(at, null)
  await handOver('planning')
  await until('it to be held', async () => at.isHeld())
  await at.approve(await at.waits(image(7)))
  await at.change('done')
})

test('in the middle of an approved rollout, nodes that go to another image are held where nobody can tell which one is built', async () => {
  const at = latched
  await handOver('planning')
  await drains(at, 'blocked')
  await at.build(image(0))
  await at.approve(await at.waits(image(0)))
  await at.change('running')
  await told(at, 0)
  await handOver('rows')
  const shown: Shown = { built: configs(at), now: 'open', client: { list: refusing(503, 'busy', 'LIST') } }
  await planned(at, shown)
  expect(at.isHeld()).toBe(false)
  const { clusterId } = at
  await db().configNode.updateMany({ where: { clusterId, desiredImage: image(0) }, data: { desiredImage: image(9) } })
  await planned(at, shown)
  expect(at.isHeld()).toBe(true)
  await drains(at, null)
  await handOver('planning')
  await at.approve(await at.waits(image(0)))
  await at.change('done')
})

test('what may not be read any more lets nothing go that is held, is told, and moves only on record', async () => {
  const at = watched
  const { clusterId } = at
  await at.build(image(2))
  await until('it to be held', async () => at.isHeld())
  await at.waits(image(2))
  await until('nodes to be through', async () => {
    const through = { clusterId, pool: 'worker', currentImage: image(2), desiredImage: image(2) }
    return (await db().configNode.count({ where: through })) === at.toldImage(image(2)).length
  })
  expect(watchStatus((await watchNow(clusterId))!)).toMatchObject({ state: 'watching' })
  at.forbidImages()
  const status = await until('it to be told', async () => {
    const now = watchStatus((await watchNow(clusterId))!)
    return now.state === 'not-watching' && now
  })
  expect(status.message).toMatch(/OS images that are built for pools are not seen now.*forbidden/)
  const { id } = await db().configPool.findFirstOrThrow({ where: { clusterId, name: 'worker' } })
  expect((await getPool(as('viewer'), { id })).hold.strength).toContain(
    'whether OS images are built for it is not known',
  )
  await handOver('rows')
  await planned(at, { heard: 'listed', now: 'refused' })
  expect(at.isHeld()).toBe(true)
  expect((await changes(at)).at(-1)).toMatchObject({ state: 'waiting', heldBy: 'latch' })
})

test('an image that comes then is on record as what nobody approved, never as what was let go', async () => {
  const at = latched
  const { clusterId } = at
  await handOver('planning')
  at.forbidImages()
  await until('the watch to be refused', () =>
    db().stream.findFirst({ where: { clusterId, resource: OS_CONFIGS, state: 'backoff' } }),
  )
  const before = await unheld(at)
  await at.build(image(8))
  await until('it to be on record', async () => (await unheld(at)) > before)
  expect((await changes(at)).at(-1)?.state).not.toBe('done')
})
