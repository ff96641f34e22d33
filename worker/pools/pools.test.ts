import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rbacManifest } from '@/lib/domain/access/manifest'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import type { Ctx } from '@/lib/services/context'
import { diffConfig } from '@/lib/services/pools/diff-config'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources, startOpenShiftControllers } from '@/sandbox/openshift'
import { startWorker, type Worker } from '../worker'
import { poolsConsumer } from './index'

useTestDatabase()

const admin: Ctx = { actor: { kind: 'user', id: 'u1', name: 'l.varga', role: 'admin' } }
const POOLS = 'machineconfigpools.machineconfiguration.openshift.io'
const CONFIGS = 'machineconfigs.machineconfiguration.openshift.io'
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const RELEASE = 'machineconfiguration.openshift.io/release-image-version'

let server: RunningApiServer
let controllers: { stop(): Promise<void> }
let worker: Worker
let clusterId: string

const follow = () =>
  startWorker({ consumers: [poolsConsumer], parts: [], intervalMs: 20, tickMs: 100, log: pino({ level: 'silent' }) })

beforeAll(async () => {
  server = await startApiServer({
    version: 'v1.35.4',
    families: ['openshift'],
    resources: openShiftResources(),
    objects: openShiftFleet({ machines: 14 }),
    users: { drydock: rulesFromManifests(rbacManifest(['openshift'])) },
  })
  controllers = startOpenShiftControllers(server.store, {
    speed: 60,
    life: false,
    pools: true,
    onError: (e) => console.error(e),
  })
  clusterId = (await addCluster(admin, { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })).clusterId
  worker = await follow()
}, 60_000)
afterAll(async () => {
  await worker?.stop()
  await controllers?.stop()
  await closeClients()
  await server?.stop()
})

async function until<T>(what: string, probe: () => Promise<T | null | undefined | false>, seconds = 60): Promise<T> {
  for (
    const deadline = Date.now() + seconds * 1000;
    Date.now() < deadline;
    await new Promise((r) => setTimeout(r, 40))
  ) {
    const found = await probe()
    if (found) return found
  }
  throw new Error(
    `Waited in vain for ${what}: ${JSON.stringify(await db().configPool.findMany())} ${JSON.stringify(await db().configNode.findMany())}`,
  )
}
const pool = (name: string) => db().configPool.findFirst({ where: { name } })
const nodes = (name: string) => db().configNode.findMany({ where: { pool: name }, orderBy: { name: 'asc' } })

async function render(name: string, of: string, release = '4.22.4'): Promise<void> {
  const metadata = { name, annotations: { [RELEASE]: release } }
  const body = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', metadata, spec: {} }
  await server.store.create(CONFIGS, body, SOMEBODY)
  await server.store.merge(POOLS, of, { spec: { configuration: { name } } }, SOMEBODY)
}
const annotate = (node: string, value: string | null) =>
  server.store.merge('nodes', node, { metadata: { annotations: { 'drydock.test/drain': value } } }, SOMEBODY)

test('pools are rows in words: one that is up to date, and one that somebody paused long ago', async () => {
  const gpu = await until('the paused pool', async () => {
    const row = await pool('gpu')
    return row?.desiredRelease ? row : null
  })
  expect(gpu).toMatchObject({
    clusterId,
    state: 'behind',
    paused: true,
    currentRelease: '4.21.14',
    desiredRelease: '4.22.4',
    atOnce: 1,
  })
  expect(gpu.sentence).toMatch(/^Paused and behind: .* while a configuration of 4\.22\.4 waits\.$/)
  expect(Date.now() - gpu.pausedSince!.getTime()).toBeGreaterThan(90 * 86_400_000)
  expect(gpu.certExpiry!.getTime() - Date.now()).toBeLessThan(53 * 86_400_000)
  expect(await pool('master')).toMatchObject({ state: 'updated', machines: 3, updated: 3, required: true })
  const members = await until('the nodes of the pool', async () => {
    const found = await nodes('gpu')
    return found.length === gpu.machines ? found : null
  })
  expect(members.map(({ phase, release }) => `${phase} ${release}`)).toEqual(members.map(() => 'paused 4.21.14'))
})

test('what differs between two configurations is told without what is secret in them, and why it cannot be told', async () => {
  const gpu = (await pool('gpu'))!
  const diff = await diffConfig(admin, { id: gpu.id })
  expect(diff).toMatchObject({ from: { release: '4.21.14' }, to: { release: '4.22.4' } })
  expect(diff.changes.map(({ name }) => name)).toEqual([
    ...['osImageURL', '/etc/chrony.conf', '/etc/sysctl.d/90-net.conf', '/var/lib/kubelet/config.json'],
  ])
  expect(JSON.stringify(diff)).not.toContain('cHVsbDok')
  expect(diff.effect).toContain('rebooted')
  // Whoever may can edit one: then it is another object, and compared anew.
  const edit = (kernelArguments: string[]) =>
    server.store.merge(CONFIGS, gpu.desiredConfig!, { spec: { kernelArguments } }, SOMEBODY)
  const { kernelArguments: had = [] } = (server.store.get(CONFIGS, gpu.desiredConfig!)!.spec ?? {}) as {
    kernelArguments?: string[]
  }
  await edit([...had, 'quiet'])
  expect((await diffConfig(admin, { id: gpu.id })).changes.map(({ name }) => name)).toContain('quiet')
  await edit(had)
  const [member] = await nodes('gpu')
  expect((await diffConfig(admin, { id: gpu.id, node: member!.name })).changes).toHaveLength(4)
  await expect(diffConfig(admin, { id: gpu.id, node: 'nobody' })).rejects.toMatchObject({ code: 'not-found' })
  server.faults.fail(503)
  await db().configPool.update({ where: { id: gpu.id }, data: { currentConfig: 'rendered-gpu-other' } })
  await expect(diffConfig(admin, { id: gpu.id })).rejects.toMatchObject({ code: 'refused' })
  server.faults.fail(0)
  await expect(diffConfig(admin, { id: gpu.id })).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('deletes rendered configs') as string,
  })
  await db().configPool.update({ where: { id: gpu.id }, data: { currentConfig: gpu.currentConfig } })
})

test('a config goes through the workers step by step, and a drain that waits says why', async () => {
  const before = await until('the workers', async () => {
    const found = await nodes('worker')
    return found.length > 3 && found.every(({ phase }) => phase === 'updated') ? found : null
  })
  const blocked = before.find(({ zone }) => zone === 'us-east-1a')!.name
  await annotate(blocked, 'blocked')
  await render('rendered-worker-next', 'worker')
  const waits = await until('the reason of the drain', async () => {
    const row = await db().configNode.findFirst({ where: { name: blocked } })
    return row?.sentence.includes('disruption budget') ? row : null
  })
  expect(waits).toMatchObject({
    phase: 'draining',
    step: 'Drained',
    sentence: 'A disruption budget keeps shop/ledger-0 where it is.',
    severity: 70,
  })
  expect(waits.hint).toContain('PodDisruptionBudget in shop')
  expect(waits.stuckFrom!.getTime() - waits.since!.getTime()).toBe(600_000)
  expect(await pool('worker')).toMatchObject({ state: 'updating', desiredConfig: 'rendered-worker-next' })
  await annotate(blocked, null)
  const through = await until('the last node', async () => {
    const row = await pool('worker')
    return row?.state === 'updated' && row.currentConfig === 'rendered-worker-next' ? row : null
  })
  expect(through).toMatchObject({
    updated: before.length,
    sentence: `All ${before.length} nodes are up to date with 4.22.4.`,
  })
  const after = await nodes('worker')
  expect(after.map(({ phase, steps, since }) => [phase, steps, since])).toEqual(
    after.map(() => ['updated', null, null]),
  )
}, 120_000)

test('who follows anew makes no step and no pause younger', async () => {
  const { id, pausedSince } = (await pool('gpu'))!
  await server.store.merge(POOLS, 'gpu', { spec: { paused: true, maxUnavailable: 2 } }, SOMEBODY)
  const [first] = await nodes('master')
  await annotate(first!.name, 'blocked')
  await render('rendered-master-next', 'master')
  const waits = await until('the drain', async () => {
    const row = await db().configNode.findFirst({ where: { pool: 'master', step: 'Drained', severity: 70 } })
    return row?.since ? row : null
  })
  await worker.stop()
  worker = await follow()
  const again = await until('the same node again', async () => {
    const row = await db().configNode.findUnique({ where: { id: waits.id } })
    return row && row.seenAt > waits.seenAt ? row : null
  })
  expect(again.since).toEqual(waits.since)
  const gpu = await until('the paused pool again', async () => {
    const row = await db().configPool.findUnique({ where: { id } })
    return row?.maxUnavailable === '2' ? row : null
  })
  expect(gpu.pausedSince).toEqual(pausedSince)
  await annotate(first!.name, null)
}, 120_000)
