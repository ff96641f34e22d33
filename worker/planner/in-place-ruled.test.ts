import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { DELETE_MARK } from '@/lib/providers/cluster-api'
import type { KubeObject } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { outlookIn } from '@/lib/services/changes/change-row'
import { groupResource } from '@/lib/services/changes/patch-for'
import { systemCtx } from '@/lib/services/context'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { gateAnswers } from '@/lib/services/gate/answers'
import { registerGate } from '@/lib/services/gate/register-gate'
import { addUpdater } from '@/lib/services/updaters/add-updater'
import { flushUpdaterCalls } from '@/lib/services/updaters/record'
import { fakeUpdater, mergePatch, type FakeUpdater } from '@/lib/services/updaters/testing'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { pauseCluster } from '@/testenv/bootstrap-template'
import { annotations, audited, expectHeld, expectReleased, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { until } from '@/testenv/process'
import { newestOf } from '@/testenv/reconnected'
import { ada, approvals, says, timedCluster } from '@/testenv/timed'
import { heldWords } from '@/components/updates/held-words'
import { makeAuthority, makeLeaf } from '@/worker/gate/certificates'
import { startGate, type Gate } from '@/worker/gate'
import { CoverageBook } from './coverage'
import { planGroup } from './plan-group'
import { holdToTimes } from './times'

vi.setConfig({ testTimeout: 60_000 })
useTestDatabase()
const KCP = groupResource('KubeadmControlPlane', 'controlplane.cluster.x-k8s.io/v1beta2')
// Keys and the gate's certificate of this file alone.
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir

const { at } = timedCluster()
let gate: Gate
let updater: FakeUpdater
beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  const authority = await makeAuthority()
  updater = await fakeUpdater(await makeLeaf(authority, ['127.0.0.1']))
  updater.says.CanUpdateMachine = () => ({ machinePatch: mergePatch({ spec: { version: 'v1.34.1' } }) })
  const { clusterId } = at
  await addUpdater(systemCtx('test'), { caPem: authority.certPem, clusterId, name: 'all', url: updater.url })
  await registerGate(systemCtx('test'), { clusterId, url: gate.url })
})
afterAll(async () => {
  await closeUpdaters()
  await flushUpdaterCalls()
  await gate?.stop()
  await updater?.stop()
  rmSync(dir, { recursive: true, force: true })
})

type Seen = (machine: KubeObject) => KubeObject
const asIs: Seen = (machine) => machine
const expiring: Seen = (machine) => {
  const certificatesExpiryDate = new Date(Date.now() + 86_400_000).toISOString()
  return { ...machine, status: { ...machine.status, certificatesExpiryDate } }
}
const marked: Seen = (machine) => {
  const { metadata } = machine
  return { ...machine, metadata: { ...metadata, annotations: { ...metadata.annotations, [DELETE_MARK]: '' } } }
}
const updated: Seen = (machine) => ({ ...machine, spec: { ...machine.spec, version: 'v1.34.1' } })

const book = new CoverageBook()
/** The planner looks at it, and sees its machine so. */
async function look(held: Held, seen = asIs): Promise<void> {
  const context = await planningContext(at.clusterId)
  const machines = async (group: KubeObject) => (await context.source.machines(group)).map(seen)
  const source = { ...context.source, machines }
  await planGroup({ ...context, book, source }, { ...(await held.read()), kind: held.kind })
  await holdToTimes(context.view)
}

/** A control plane that Cluster API may ask about, with a rule for certificates: approved in place, where that alone is allowed, and let go. */
async function underWay(): Promise<Held> {
  const before = await at.held('KubeadmControlPlane', 3)
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'policy' } })
  await db().group.update({ where: { id: before.change.groupId }, data: { governed: true } })
  // Nothing moves while the test looks.
  await pauseCluster(at.cluster.admin, before)
  const rollingUpdate = { maxSurge: 0 }
  const rollout = { before: { certificatesExpiryDays: 30 }, strategy: { type: 'RollingUpdate', rollingUpdate } }
  await at.cluster.admin.patch(KCP, before.name, before.namespace, 'merge', { spec: { rollout } } as never)
  await says(before, { strategy: 'in-place-only' })
  const known = async () => (await gateAnswers(at.clusterId, 'KubeadmControlPlane')).ok
  await until('the manager of control planes to know the gate', known, { ms: 30_000, every: 100 })
  const able = async () => {
    await look(before)
    return outlookIn((await newestOf(before)).change).inPlace !== null
  }
  await until('its updater to have said yes', able, { ms: 10_000, every: 50 })
  const held = await newestOf(before)
  const { id } = await approveChange(ada, { ...inputFor(held, 'in-place'), typedName: held.name })
  await expectReleased(held, id)
  for (const _look of [1, 2]) await look(held)
  expect(await stateOf(held)).toBe('running')
  return held
}

test.each([
  ['its certificates come near their end', expiring, /a rule of its group replaces machines by now/],
  ['it is marked', marked, /a machine is marked by now, or lacks what is compared/],
])('let go in place, a machine that has not begun is not replaced by that: %s', async (_, seen, words) => {
  const held = await underWay()
  for (let i = 0; i < 3; i++) await look(held, seen)
  await expectHeld(held)
  expect(await approvals(held)).toEqual(['ada void'])
  const now = await newestOf(held)
  expect(now.change).toMatchObject({ state: 'waiting', dueMode: null })
  const page = await getUpdate(ada, now.change.id)
  const told = heldWords({ ...page, heldBy: 'latch', heldWords: (await annotations(held))[HELD]! })
  expect(told).toMatch(words)
})

test('what was approved in place lets no rule replace its machines later: they are held, and wait for people', async () => {
  const held = await underWay()
  await db().machine.createMany({
    data: ['m-1', 'm-2', 'm-3'].map((name) => ({
      ...{ id: randomUUID(), clusterId: at.clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace },
      ...{ workloadCluster: held.change.workloadCluster, name, groupKind: held.kind, groupName: held.name },
      ...{ phase: 'Running', state: 'ready', ready: true, available: true, upToDate: true, sentence: '' },
      ...{ node: 'n', resourceVersion: '1', createdAt: new Date() },
    })),
  })
  for (let i = 0; i < 3; i++) await look(held, updated)
  expect(await stateOf(held)).toBe('done')
  await look(held, (machine) => expiring(updated(machine)))
  const now = await newestOf(held)
  expect(await audited(now)).toContain('change.not-held ok')
  expect(now.change.id).not.toBe(held.change.id)
  await expectHeld(held)
  for (let i = 0; i < 2; i++) await look(now, (machine) => expiring(updated(machine)))
  expect(await db().decision.count({ where: { changeId: now.change.id } })).toBe(0)
  expect(await stateOf(now)).toBe('waiting')
})
