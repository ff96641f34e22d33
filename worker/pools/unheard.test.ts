import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import { rulesFromManifests, startApiServer, type Rule, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import type { Ctx, Role } from '@/lib/services/context'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { getPool } from '@/lib/services/pools/get-pool'
import { listPools } from '@/lib/services/pools/list-pools'
import { consumers } from '../parts'
import { startWorker, type Worker } from '../worker'

// How long a watch may be away before that counts is a test of its own (watching.unit.test.ts).
vi.mock('../hiccup', () => ({ HICCUP_MS: 1_000 }))
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })
useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const POOLS = 'machineconfigpools.machineconfiguration.openshift.io'
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const DEGRADED = ['Degraded', 'NodeDegraded'].map((type) => ({ type, status: 'True', message: 'it is full' }))

const all = rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()])
const rules: Rule[] = []
let server: RunningApiServer
let worker: Worker | null = null
let clusterId: string
let worst: string

const may = (...lost: string[]) => {
  const resources = (rule: Rule) => rule.resources?.filter((one) => !lost.includes(one))
  rules.splice(0, rules.length, ...(all.map((rule) => ({ ...rule, resources: resources(rule) })) as Rule[]))
}
/** Whatever is followed is asked for anew. */
const cut = (name: string) => server.register(server.resource(name))
const follow = async () => {
  const log = pino({ level: 'silent' })
  const followed = consumers.filter(({ name }) => name.startsWith('pools'))
  worker = await startWorker({ consumers: followed, parts: [], intervalMs: 20, tickMs: 100, log })
}

beforeAll(async () => {
  may()
  server = await startApiServer({
    ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources(), objects: openShiftFleet() },
    users: { drydock: rules },
  })
  clusterId = (await addCluster(as('admin'), { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })).clusterId
  await follow()
  worst = (await until('a pool', async () => (await list()).find(({ name }) => name === 'gpu'))).id
})
afterEach(async () => {
  may()
  if (!worker) await follow()
  await until('all to be heard again', async () => (await list()).every(({ old }) => !old))
})
afterAll(async () => {
  await worker?.stop()
  await closeClients()
  await server?.stop()
})

async function until<T>(what: string, probe: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await new Promise((r) => setTimeout(r, 50))) {
    const found = await probe().catch(() => null)
    if (found) return found
  }
  const select = { name: true, state: true, sentence: true, unheardWhy: true }
  throw new Error(`Waited in vain for ${what}: ${JSON.stringify(await db().configPool.findMany({ select }))}`)
}
const list = async (state?: string) => (await listPools(as('viewer'), { cluster: 'tidal', state })).pools
const master = () => until('the pool master', async () => (await list()).find(({ name }) => name === 'master'))
const page = (id: string) => getPool(as('viewer'), { id })
const unknown = (id: string) => until('it to be unknown', async () => (await page(id)).state === 'unknown' && page(id))
const degrade = (conditions: typeof DEGRADED) => {
  const status = server.store.get(POOLS, 'gpu')!.status!
  return server.store.merge(POOLS, 'gpu', { status: { ...status, conditions } }, SOMEBODY, 'status')
}
const FORBIDDEN =
  /^Its cluster’s MachineConfigPools cannot be read: .*machineconfigpools.*forbidden.* What state it is in is not known\.$/

test('a pool that may not be read any more is unknown, wherever it stands, with the API server’s words', async () => {
  const { id, sentence, old } = await until('it to be up to date', async () => {
    const found = await master()
    return found.state === 'updated' && found
  })
  expect(old).toBe(false)
  may('machineconfigpools')
  cut(POOLS)
  const now = await unknown(id)
  expect(now.sentence).toMatch(FORBIDDEN)
  expect(Date.parse(now.unheard!.since!)).toBeLessThan(Date.now())
  expect((await list('updated')).map(({ name }) => name)).not.toContain('master')
  expect(await list('unknown')).toContainEqual(
    expect.objectContaining({ name: 'master', old: true, sentence: now.sentence }),
  )
  may()
  const told = await until('it to be heard', async () => (await page(id)).unheard === null && page(id))
  expect(told).toMatchObject({ state: 'updated', sentence })
})

test('one that was degraded stays among what needs somebody, and is said to be old, once', async () => {
  const before = server.store.get(POOLS, 'gpu')!.status!.conditions as typeof DEGRADED
  await degrade(DEGRADED)
  const { sentence } = await until(
    'it to be degraded',
    async () => (await page(worst)).state === 'degraded' && page(worst),
  )
  may('machineconfigpools')
  cut(POOLS)
  const old = async () => (await page(worst)).unheard !== null && page(worst)
  const now = await until('it to be old', old)
  expect(now.state).toBe('degraded')
  const said = `${sentence} That may be old: its cluster’s MachineConfigPools cannot be read: `
  expect(now.sentence.startsWith(said)).toBe(true)
  expect(await needsYou(as('viewer'), {})).toContainEqual(expect.objectContaining({ id: worst }))
  await worker!.stop()
  worker = null
  await db().configPool.update({ where: { id: worst }, data: { unheardWhy: 'before' } })
  await follow()
  const again = await until(
    'it to be told anew',
    async () => (await page(worst)).unheard?.why !== 'before' && page(worst),
  )
  expect(again.state).toBe('degraded')
  expect(again.sentence.startsWith(said)).toBe(true)
  expect(again.sentence.match(/may be old/g)).toHaveLength(1)
  may()
  await degrade(before)
})

test('a worker that begins and may not read pools takes nothing of before for what is now', async () => {
  const { id } = await master()
  await worker!.stop()
  worker = null
  const { lastHeardAt } = await db().stream.findFirstOrThrow({ where: { clusterId, resource: POOLS } })
  may('machineconfigpools')
  await follow()
  const now = await unknown(id)
  expect(now.sentence).toMatch(FORBIDDEN)
  expect(now.unheard).toMatchObject({ since: lastHeardAt!.toISOString() })
})

test('of nodes that may not be read any more it is said that they are old; what the operator counts in the pool holds', async () => {
  const { id, sentence } = await master()
  may('nodes')
  cut('nodes')
  const now = await until('it to be told', async () => (await page(id)).unheard !== null && page(id))
  expect(now).toMatchObject({ state: 'updated', sentence })
  expect(now.unheard!.why).toMatch(/^Its cluster’s Nodes cannot be read: .*nodes.*forbidden/)
  expect(await master()).toMatchObject({ old: true })
  await degrade(DEGRADED)
  await until('what the operator says to be heard', async () => (await page(worst)).state === 'degraded')
})
