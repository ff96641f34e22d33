import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { GUARD_EXTENSION, HELD, PAUSED } from '@/lib/domain/latch/names'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { heldChange, type Held } from '@/testenv/held'
import { applyLatch } from '@/testenv/latch'
import { withoutInPlace } from '@/testenv/manager-gates'
import { until } from '@/testenv/process'
import { startGate, type Gate } from '@/worker/gate'
import { addCluster } from '../clusters/add-cluster'
import { closeClients, kubeClientFor } from '../clusters/connection'
import { systemCtx, type Ctx } from '../context'
import { gateAnswers } from '../gate/answers'
import { registerGate } from '../gate/register-gate'
import { approveChange } from './approve-change'
import { changeSetOf } from './change-row'
import { illMember } from './ill-member'
import { rejectChange } from './reject-change'
import { retryDecision } from './retry-decision'

useTestDatabase()

const approver: Ctx = { actor: { kind: 'user', id: 'ada', name: 'Ada', role: 'approver' } }
const MACHINES = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machines' }
const EXTENSIONS = { group: 'runtime.cluster.x-k8s.io', version: 'v1beta2', plural: 'extensionconfigs' }
const BINDINGS = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingadmissionpolicybindings',
}
// Keys and the gate's certificate of this file alone.
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir

let cluster: SandboxTestCluster
let gate: Gate
let clusterId: string

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  clusterId = (await addCluster(systemCtx('test'), { name: 'm', kubeconfig: cluster.kubeconfig })).clusterId
  await applyLatch(cluster.admin)
})
afterAll(async () => {
  await closeClients()
  await gate?.stop()
  await cluster?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const ILL = '"type":"EtcdMemberHealthy","status":"Unknown"'
const input = ({ change }: Held, mode: 'in-place' | 'replace') => ({
  ...{ changeId: change.id, fingerprint: change.fingerprint, mode, typedName: change.groupName },
  // Of one machine none may be missing: a spare comes first, and the old one goes.
  deletions: 1,
})
const isHeld = async (held: Held) => {
  const annotations = (await held.read()).metadata.annotations ?? {}
  return HELD in annotations && PAUSED in annotations
}
const register = async () => {
  await registerGate(systemCtx('test'), { clusterId, url: gate.url })
  await until('the managers to ask the gate', async () => (await gateAnswers(clusterId, 'MachineDeployment')).ok, {
    ms: 15_000,
    every: 50,
  })
}

test('approved in place, nothing is let go unless the managers ask the gate; nobody has to be there to notice', async () => {
  const held = await heldChange(cluster, clusterId)
  const without = await approveChange(approver, input(held, 'in-place'))
  expect(without).toMatchObject({ state: 'failed', error: expect.stringContaining('Nothing was released') as string })
  expect(await isHeld(held)).toBe(true)

  await register()
  // Nobody keeps an administrator from taking the guard away first.
  await cluster.admin.delete(BINDINGS, GUARD_EXTENSION)
  const narrowed = { spec: { namespaceSelector: { matchLabels: { elsewhere: 'true' } } } }
  await cluster.admin.patch(EXTENSIONS, 'drydock', undefined, 'merge', narrowed)
  expect(await approveChange(approver, input(held, 'in-place'))).toMatchObject({ state: 'failed' })
  expect(await isHeld(held)).toBe(true)

  await register()
  // Whatever was discovered once: somebody upgrades the managers, and their gates are what they were by default.
  const restore = await withoutInPlace(cluster.admin)
  const off = await approveChange(approver, input(held, 'in-place'))
  expect(off).toMatchObject({ state: 'failed', error: expect.stringContaining('In-place updates are off') as string })
  expect(await isHeld(held)).toBe(true)

  await restore()
  expect(await approveChange(approver, input(held, 'in-place'))).toMatchObject({ state: 'accepted' })
  expect(await isHeld(held)).toBe(false)
})

test('while the template that it names does not exist, a change can be rejected, not approved', async () => {
  const held = await heldChange(cluster, clusterId)
  const changeSet = changeSetOf(held.change)
  const pairs = changeSet.pairs.map((pair) => ({ ...pair, missing: 'not-there-yet' }))
  await db().change.update({
    where: { id: held.change.id },
    data: { changeSet: { ...changeSet, pairs } as unknown as Prisma.InputJsonValue },
  })
  for (const mode of ['in-place', 'replace'] as const)
    await expect(approveChange(approver, input(held, mode))).rejects.toMatchObject({
      ...{ code: 'conflict', message: expect.stringContaining('not-there-yet does not exist') as string },
    })
  expect(await isHeld(held)).toBe(true)
  const { changeId, fingerprint } = input(held, 'replace')
  expect(await rejectChange(approver, { changeId, fingerprint })).toMatchObject({ state: 'accepted' })
})

test('a control plane with a member that is not well is not released in place: that one would be deleted unasked', async () => {
  const held = await heldChange(cluster, clusterId, 'KubeadmControlPlane')
  await register()
  expect(await illMember(held.change)).toBeNull()
  const client = await kubeClientFor(clusterId)
  const { list } = client
  client.list = async (...args) => {
    const page = await list(...args)
    const text = JSON.stringify(page.items).replace('"type":"EtcdMemberHealthy","status":"True"', ILL)
    return { ...page, items: JSON.parse(text) as typeof page.items }
  }
  try {
    expect(await illMember(held.change)).toContain('(EtcdMemberHealthy was Unknown)')
    const known = async () => (await gateAnswers(clusterId, 'KubeadmControlPlane')).ok
    await until('the manager of control planes to know the gate', known, { ms: 30_000, every: 100 })
    const refused = await approveChange(approver, input(held, 'in-place'))
    expect(refused).toMatchObject({ state: 'failed', error: expect.stringContaining('was not well') as string })
  } finally {
    client.list = list
  }
  expect(await isHeld(held)).toBe(true)
})

test('a control plane machine that was marked since it was looked at is not released in place: it would be deleted unasked', async () => {
  const held = await heldChange(cluster, clusterId, 'KubeadmControlPlane')
  await register()
  const known = async () => (await gateAnswers(clusterId, 'KubeadmControlPlane')).ok
  await until('the manager of control planes to know the gate', known, { ms: 30_000, every: 100 })
  const { from } = changeSetOf(held.change).pairs[0]!
  const mark = (value: string | null) =>
    cluster.admin.patch(MACHINES, from, held.namespace, 'merge', {
      metadata: { annotations: { 'cluster.x-k8s.io/delete-machine': value } },
    })
  await mark('yes')
  const refused = await approveChange(approver, input(held, 'in-place'))
  expect(refused.state).toBe('voided')
  expect(refused.error).toContain(`${from} would be replaced by now: The machine is marked`)
  expect(await isHeld(held)).toBe(true)
  await mark(null)
  expect(await approveChange(approver, input(held, 'in-place'))).toMatchObject({ state: 'accepted' })
})

test('tried again, nothing is let go in place by which machines go for spares by now that nobody was shown', async () => {
  const held = await heldChange(cluster, clusterId)
  const spares = (spare: number) => {
    const inPlace = { counts: { 'in-place': 1 }, created: spare, deleted: spare, headline: 'w.', spare }
    const outlook = { ...(held.change.outlook as object), inPlace } as Prisma.InputJsonObject
    return db().change.update({ where: { id: held.change.id }, data: { outlook } })
  }
  await spares(0)
  const restore = await withoutInPlace(cluster.admin)
  const failed = await approveChange(approver, { ...input(held, 'in-place'), deletions: 0 })
  expect(failed).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('In-place updates are off') as string,
  })
  await restore()
  await spares(1)
  const again = await retryDecision(approver, { decisionId: failed.id })
  expect(again).toMatchObject({ state: 'voided', error: expect.stringMatching(/^0 of the 1 approvals/) as string })
  expect(await isHeld(held)).toBe(true)
  const seen = { ...input(held, 'in-place'), deletions: 1 }
  expect(await approveChange(approver, seen)).toMatchObject({ state: 'accepted' })
})
