import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import { changeSetOf, outlookIn } from '@/lib/services/changes/change-row'
import { closeClients } from '@/lib/services/clusters/connection'
import { addUpdater } from '@/lib/services/updaters/add-updater'
import { checkUpdater } from '@/lib/services/updaters/check-updater'
import { moveUpdater } from '@/lib/services/updaters/move-updater'
import { flushUpdaterCalls } from '@/lib/services/updaters/record'
import { removeUpdater } from '@/lib/services/updaters/remove-updater'
import { fakeUpdater, mergePatch, type FakeUpdater } from '@/lib/services/updaters/testing'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { updateUpdater } from '@/lib/services/updaters/update-updater'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { startGate, type Gate } from '@/worker/gate'
import { makeAuthority, makeLeaf, type Pair } from '@/worker/gate/certificates'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from './process'
import { ctx, Governing, type Workload } from './suites/governing'

// What waits is looked at again by itself now and then: here that never comes, so that only what is heard counts.
vi.mock('@/worker/planner/common', async (original) => ({ ...(await original<object>()), LATER_MS: 3_600_000 }))
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let cluster: SandboxTestCluster
let g: Governing
let gate: Gate
let worker: Worker
let authority: Pair
let updater: FakeUpdater
let w: Workload

const covers = (fake: FakeUpdater) => {
  fake.says.CanUpdateMachineSet = (request) => {
    const version = valueAt(request, 'desired', 'machineSet', 'spec', 'template', 'spec', 'version') ?? null
    return { machineSetPatch: mergePatch({ spec: { template: { spec: { version } } } }) }
  }
}

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  g = new Governing(cluster, { deadlineMs: 40_000, watchMs: 500 })
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  await g.connect()
  await db().managementCluster.update({ where: { id: g.clusterId }, data: { latchForm: 'policy' } })
  worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer], parts: [] })
  authority = await makeAuthority()
  updater = await fakeUpdater(await makeLeaf(authority, ['127.0.0.1']))
  covers(updater)
  await g.register(gate.url)
  w = await g.workload('one', { workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 } })
  await g.known(w)
  await g.changeWorkers(w, 'v1.34.1')
  await g.change(w, w.machineDeployment, ['waiting'])
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

const change = async () => (await g.changes(w, w.machineDeployment))[0]!
const add = (name: string) =>
  addUpdater(ctx, { name, url: updater.url, caPem: authority.certPem, clusterId: g.clusterId })

/** What the waiting change says about its machine, until it says that. */
async function says(verdict: string, by: string | null): Promise<void> {
  let seen = ''
  const as = async () => {
    const row = await change()
    const machine = await db().machine.findFirst({ where: { groupName: w.machineDeployment, clusterId: g.clusterId } })
    const { coveredBy } = changeSetOf(row).fields.find(({ path }) => path === 'version')!
    seen = `${machine?.verdict} by ${coveredBy ?? 'nobody'}: ${outlookIn(row).whyNotInPlace}`
    const possible = outlookIn(row).inPlace !== null
    return (
      row.state === 'waiting' &&
      machine?.verdict === verdict &&
      (coveredBy ?? null) === by &&
      possible === (by !== null)
    )
  }
  await until(`the verdict ${verdict} by ${by}`, as, { ms: 20_000, every: 50 }).catch((error: Error) => {
    throw new Error(`${error.message} It says ${seen}`, { cause: error })
  })
}

test('what waits follows the registry by itself: added, edited, moved, changed behind its address, removed', async () => {
  await says('replace', null)
  const first = await add('first')
  await says('in-place', 'first')

  await updateUpdater(ctx, { updaterId: first.id, groups: { namespaces: ['elsewhere'] } })
  await says('replace', null)
  await updateUpdater(ctx, { updaterId: first.id, groups: {} })
  await says('in-place', 'first')

  const second = await add('second')
  await moveUpdater(ctx, { updaterId: second.id, to: 'up' })
  await says('in-place', 'second')
  await removeUpdater(ctx, { updaterId: first.id })
  await says('in-place', 'second')

  updater.says.CanUpdateMachineSet = () => undefined
  await checkUpdater(ctx, { updaterId: second.id })
  await says('replace', null)
  covers(updater)
  await checkUpdater(ctx, { updaterId: second.id })
  await says('in-place', 'second')

  await removeUpdater(ctx, { updaterId: second.id })
  await says('replace', null)
})

test('a selection that cannot be read makes it unknown, says whose, and is mended by an edit or a removal', async () => {
  const { id } = await add('unclear')
  await says('in-place', 'unclear')
  await db().updater.update({ where: { id }, data: { groups: { namespaces: 'fleet' } } })
  await checkUpdater(ctx, { updaterId: id })
  await says('unknown', null)
  expect(outlookIn(await change()).whyNotInPlace).toBe('Which groups the updater unclear is for cannot be read.')
  await updateUpdater(ctx, { updaterId: id, groups: { kinds: ['MachineDeployment'] } })
  await says('in-place', 'unclear')
  await db().updater.update({ where: { id }, data: { groups: 7 } })
  await removeUpdater(ctx, { updaterId: id })
  await says('replace', null)
})
