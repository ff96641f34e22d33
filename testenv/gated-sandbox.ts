import { afterAll, beforeAll } from 'vitest'
import { db } from '@/lib/db/client'
import { closeClients } from '@/lib/services/clusters/connection'
import { addUpdater } from '@/lib/services/updaters/add-updater'
import { flushUpdaterCalls } from '@/lib/services/updaters/record'
import { fakeUpdater, type FakeUpdater } from '@/lib/services/updaters/testing'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { calendarConsumer } from '@/worker/calendar'
import { startGate, type Gate } from '@/worker/gate'
import { makeAuthority, makeLeaf } from '@/worker/gate/certificates'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { ctx, Governing } from './suites/governing'

/** A latched sandbox with a worker, a registered gate, and one updater that says what `says` has it say; absent: it covers versions, at once. */
export function gatedSandbox(says?: (updater: FakeUpdater) => void): { cluster: SandboxTestCluster; g: Governing } {
  const at = {} as { cluster: SandboxTestCluster; g: Governing; gate: Gate; worker: Worker; updater?: FakeUpdater }
  beforeAll(async () => {
    at.cluster = await sandboxTestCluster()
    at.g = new Governing(at.cluster, { deadlineMs: 40_000, watchMs: 500 })
    at.gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    await at.g.connect()
    await db().managementCluster.update({ where: { id: at.g.clusterId }, data: { latchForm: 'policy' } })
    at.worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer, calendarConsumer], parts: [] })
    if (says) {
      const authority = await makeAuthority()
      at.updater = await fakeUpdater(await makeLeaf(authority, ['127.0.0.1']))
      says(at.updater)
      const { url } = at.updater
      await addUpdater(ctx, { caPem: authority.certPem, clusterId: at.g.clusterId, name: 'all', url })
    } else await at.g.addUpdater(200)
    await at.g.register(at.gate.url)
  })
  afterAll(async () => {
    await at.g?.stop()
    await at.worker?.stop()
    await at.gate?.stop()
    await closeUpdaters()
    await flushUpdaterCalls()
    await closeClients()
    await at.updater?.stop()
    await at.cluster?.stop()
  })
  return at
}
