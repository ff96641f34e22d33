import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { isObject, valueAt } from '@/lib/domain/changes'
import { HELD } from '@/lib/domain/latch/names'
import type { JsonObject } from '@/lib/domain/json'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { closeClients } from '@/lib/services/clusters/connection'
import { addUpdater } from '@/lib/services/updaters/add-updater'
import { flushUpdaterCalls } from '@/lib/services/updaters/record'
import { fakeUpdater, mergePatch, type FakeUpdater } from '@/lib/services/updaters/testing'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { calendarConsumer } from '@/worker/calendar'
import { startGate, type Gate } from '@/worker/gate'
import { makeAuthority, makeLeaf } from '@/worker/gate/certificates'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from './process'
import { ctx, Governing } from './suites/governing'
import { MD } from './suites/watching'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let cluster: SandboxTestCluster
let g: Governing
let gate: Gate
let worker: Worker
let updater: FakeUpdater
let finish = false

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  g = new Governing(cluster, { deadlineMs: 40_000, watchMs: 500 })
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  await g.connect()
  await db().managementCluster.update({ where: { id: g.clusterId }, data: { latchForm: 'policy' } })
  worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer, calendarConsumer], parts: [] })
  const authority = await makeAuthority()
  updater = await fakeUpdater(await makeLeaf(authority, ['127.0.0.1']))
  updater.says.CanUpdateMachineSet = (request) => {
    const of = (slot: string) => valueAt(request, 'desired', slot, 'spec', 'template', 'spec')
    const preKubeadmCommands = valueAt(of('bootstrapConfigTemplate'), 'preKubeadmCommands') ?? null
    const version = valueAt(of('machineSet'), 'version') ?? null
    return {
      machineSetPatch: mergePatch({ spec: { template: { spec: { version } } } }),
      bootstrapConfigTemplatePatch: mergePatch({ spec: { template: { spec: { preKubeadmCommands } } } }),
    }
  }
  updater.says.UpdateMachine = (): JsonObject => ({ retryAfterSeconds: finish ? 0 : 1, message: 'at work' })
  await addUpdater(ctx, { caPem: authority.certPem, clusterId: g.clusterId, name: 'all', url: updater.url })
  await g.register(gate.url)
})
afterAll(async () => {
  await worker?.stop()
  await gate?.stop()
  await closeUpdaters()
  await flushUpdaterCalls()
  await closeClients()
  await updater?.stop()
  await cluster?.stop()
})

test.each([
  ['replace', 'in-place'],
  ['in-place', 'replace'],
] as const)(
  'approved %s first, and its template edited where it stands: the manager remembers the two sets, and it is not approved %s',
  async (first, then) => {
    const w = await g.workload(`w-${first}`, { workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 } })
    await g.known(w)
    finish = false
    const md = w.machineDeployment
    const ref = valueAt((await g.deployment(w)) as never, 'spec', 'template', 'spec', 'bootstrap', 'configRef')
    if (!isObject(ref)) throw new Error('no bootstrap config')
    const templates = { group: String(ref.apiGroup), version: 'v1beta2', plural: 'kubeadmconfigtemplates' }
    const { apiVersion, kind, spec } = await cluster.admin.get(templates, String(ref.name), w.namespace)
    const says = (command: string) => ({
      template: { spec: { ...(valueAt(spec as never, 'template', 'spec') as object), preKubeadmCommands: [command] } },
    })
    const copy = { apiVersion, kind, metadata: { name: 'next', namespace: w.namespace }, spec: says('echo one') }
    await cluster.admin.create(templates, copy as never, w.namespace)
    await cluster.admin.patch(MD, md, w.namespace, 'merge', {
      // What is made by it is not available for long: something is left to be held.
      spec: {
        template: {
          spec: { version: 'v1.34.1', minReadySeconds: 1_000_000, bootstrap: { configRef: { name: 'next' } } },
        },
      },
    })
    const before = await g.approvable(w, md, first)
    await g.approve(w, md, first)
    // Cluster API has asked, was answered, and remembers that for a day for "old MachineSet => new MachineSet".
    const answered = (changeId: string) => async () =>
      (await db().gateCall.count({ where: { changeId, hook: 'CanUpdateMachineSet', answer: first } })) > 0
    await until('the gate to have answered', answered(before.id), { ms: 20_000, every: 20 })
    await pauseChange(ctx, { changeId: before.id })
    const isHeld = async () => HELD in ((await g.deployment(w)).metadata.annotations ?? {})
    await until('it to be held', isHeld, { ms: 20_000, every: 50 })
    finish = true
    // Somebody mends the new template where it stands.
    await cluster.admin.patch(templates, 'next', w.namespace, 'merge', { spec: says('echo two') } as never)
    await cluster.admin.patch(MD, md, w.namespace, 'merge', {
      spec: { template: { spec: { minReadySeconds: 1 } } },
    } as never)
    const isAnother = async () => (await g.changes(w, md))[0]!.id !== before.id
    await until('another change', isAnother, { ms: 40_000, every: 100 })
    const next = await g.approvable(w, md, 'replace')
    expect(next.fingerprint).not.toBe(before.fingerprint)
    const decision = approveChange(ctx, { changeId: next.id, fingerprint: next.fingerprint, mode: then })
    await expect(decision).rejects.toThrow('Cluster API remembers that answer')
    expect((await g.deployment(w)).metadata.annotations).toHaveProperty([HELD])
  },
)
