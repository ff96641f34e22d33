import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { nodePatcher } from '@/examples/updater'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { isObject, valueAt } from '@/lib/domain/changes'
import type { Json, JsonObject } from '@/lib/domain/json'
import { closeClients } from '@/lib/services/clusters/connection'
import { addUpdater } from '@/lib/services/updaters/add-updater'
import { listUpdaters } from '@/lib/services/updaters/list-updaters'
import { flushUpdaterCalls } from '@/lib/services/updaters/record'
import { fakeUpdater, mergePatch, type FakeUpdater } from '@/lib/services/updaters/testing'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { startGate, type Gate } from '@/worker/gate'
import { makeAuthority, makeLeaf } from '@/worker/gate/certificates'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { until } from './process'
import { ctx, Governing } from './suites/governing'
import { MD } from './suites/watching'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let cluster: SandboxTestCluster
let g: Governing
let gate: Gate
let worker: Worker
let kubelet: FakeUpdater
let os: FakeUpdater
/** What the updaters were asked to do to machines, and what they said, in the order in which it happened. */
const log: { machine: string; updater: string; said: 'working' | 'done' | 'failed' }[] = []
let osSays: 'working' | 'done' | 'failed' = 'working'

const specOf = (request: JsonObject, slot: string): Json | undefined =>
  valueAt(request, 'desired', slot, 'spec', 'template', 'spec')
const nameIn = (request: JsonObject): string => String(valueAt(request, 'desired', 'machine', 'metadata', 'name'))

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  g = new Governing(cluster, { deadlineMs: 40_000, watchMs: 500 })
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  await g.connect()
  await db().managementCluster.update({ where: { id: g.clusterId }, data: { latchForm: 'policy' } })
  worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer], parts: [] })
  const authority = await makeAuthority()
  const leaf = await makeLeaf(authority, ['127.0.0.1'])
  kubelet = await fakeUpdater(leaf)
  os = await fakeUpdater(leaf)
  kubelet.says.CanUpdateMachineSet = (request) => {
    const version = valueAt(specOf(request, 'machineSet'), 'version') ?? null
    return { machineSetPatch: mergePatch({ spec: { template: { spec: { version } } } }) }
  }
  os.says.CanUpdateMachineSet = (request) => {
    const preKubeadmCommands = valueAt(specOf(request, 'bootstrapConfigTemplate'), 'preKubeadmCommands') ?? null
    return { bootstrapConfigTemplatePatch: mergePatch({ spec: { template: { spec: { preKubeadmCommands } } } }) }
  }
  const onNode = nodePatcher(cluster.adminKubeconfig)
  const begun = new Set<string>()
  kubelet.says.UpdateMachine = (request): JsonObject => {
    const machine = nameIn(request)
    const first = !begun.has(machine)
    if (first) {
      begun.add(machine)
      const version = String(valueAt(request, 'desired', 'machine', 'spec', 'version'))
      const namespace = String(valueAt(request, 'desired', 'machine', 'metadata', 'namespace'))
      onNode({ namespace, cluster: 'two', machine, version }).catch(() => begun.delete(machine))
    }
    log.push({ machine, updater: 'kubelet-updater', said: first ? 'working' : 'done' })
    return first ? { retryAfterSeconds: 1, message: 'restarting the kubelet' } : { retryAfterSeconds: 0 }
  }
  os.says.UpdateMachine = (request): JsonObject => {
    log.push({ machine: nameIn(request), updater: 'os-updater', said: osSays })
    if (osSays === 'failed') return { status: 'Failure', message: 'disk is full' }
    return osSays === 'done' ? { retryAfterSeconds: 0 } : { retryAfterSeconds: 1, message: 'writing the image' }
  }
  const common = { caPem: authority.certPem, clusterId: g.clusterId }
  await addUpdater(ctx, { ...common, name: 'os-updater', url: os.url, groups: { kinds: ['MachineDeployment'] } })
  await addUpdater(ctx, { ...common, name: 'kubelet-updater', url: kubelet.url, position: 0 })
  // One that would claim everything, and is for other groups.
  await addUpdater(ctx, { ...common, name: 'elsewhere', url: os.url, position: 0, groups: { namespaces: ['other'] } })
  await g.register(gate.url)
})
afterAll(async () => {
  await worker?.stop()
  await gate?.stop()
  await closeUpdaters()
  await flushUpdaterCalls()
  await closeClients()
  await Promise.all([kubelet?.stop(), os?.stop()])
  await cluster?.stop()
})

test('two updaters cover a change together and work on each machine in their order, over a failure and a restart', async () => {
  const w = await g.workload('two', { workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 } })
  await g.known(w)
  const md = w.machineDeployment
  const ref = valueAt((await g.deployment(w)) as never, 'spec', 'template', 'spec', 'bootstrap', 'configRef')
  if (!isObject(ref)) throw new Error('no bootstrap config')
  const templates = { group: String(ref.apiGroup), version: 'v1beta2', plural: 'kubeadmconfigtemplates' }
  const { apiVersion, kind, spec } = await cluster.admin.get(templates, String(ref.name), w.namespace)
  const template = {
    spec: { ...(valueAt(spec as never, 'template', 'spec') as object), preKubeadmCommands: ['echo hello'] },
  }
  const copy = { apiVersion, kind, metadata: { name: 'two-next', namespace: w.namespace }, spec: { template } }
  await cluster.admin.create(templates, copy as never, w.namespace)
  await cluster.admin.patch(MD, md, w.namespace, 'merge', {
    spec: { template: { spec: { version: 'v1.34.1', bootstrap: { configRef: { name: 'two-next' } } } } },
  })
  const waiting = await g.approvable(w, md, 'in-place')
  const by = changeSetOf(waiting).fields.map(({ object, path, coveredBy }) => [`${object}: ${path}`, coveredBy])
  expect(by).toContainEqual(['machine: version', 'kubelet-updater'])
  expect(by.some(([path, name]) => path!.startsWith('bootstrap: preKubeadmCommands') && name === 'os-updater')).toBe(
    true,
  )

  await g.approve(w, md, 'in-place')
  const at = (updater: string, state: string) => async () =>
    (await db().machineProgress.count({ where: { changeId: waiting.id, updater, state } })) > 0
  await until('the second updater to be at work', at('os-updater', 'updating'), { ms: 40_000, every: 100 })
  expect(log.some(({ updater, said }) => updater === 'kubelet-updater' && said === 'done')).toBe(true)

  osSays = 'failed'
  const saidFailed = () => log.filter(({ said }) => said === 'failed').length
  await until('it to have failed', () => Promise.resolve(saidFailed() > 0), { ms: 40_000, every: 50 })
  await until('the failure to be on record', async () => {
    await flushUpdaterCalls()
    const { health } = (await listUpdaters(ctx)).find(({ name }) => name === 'os-updater')!
    return health.failingSince !== null && health.error === 'The updater os-updater says: disk is full'
  })
  const row = await db().machineProgress.findFirstOrThrow({ where: { changeId: waiting.id, updater: 'os-updater' } })
  expect(row.updatersDone).toEqual(['kubelet-updater'])
  // Only one machine is at work, and it did not go on past the failure.
  expect(new Set(log.map(({ machine }) => machine)).size).toBe(1)

  const { port } = gate
  await gate.stop()
  await closeUpdaters()
  osSays = 'done'
  const restarted = log.length
  gate = await startGate({ host: '127.0.0.1', port, hosts: ['127.0.0.1'] })
  const done = await g.change(w, md, ['done'])
  expect(done.outcome).toMatchObject({ updatedInPlace: 2, created: 0, deleted: 0 })
  // The second one was never asked without the first one having said done before, each time anew.
  expect(log.slice(restarted).map(({ updater }) => updater)).toContain('kubelet-updater')
  for (const machine of new Set(log.map((entry) => entry.machine))) {
    const passes = { kubelet: 0, os: 0 }
    for (const { updater, said } of log.filter((entry) => entry.machine === machine)) {
      if (updater === 'os-updater') passes.os += 1
      else if (said === 'done') passes.kubelet += 1
      else expect(passes).toEqual({ kubelet: 0, os: 0 })
      expect(passes.os).toBeLessThanOrEqual(passes.kubelet)
    }
  }
})
