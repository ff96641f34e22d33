import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { MD } from '@/testenv/held'
import { startGate, type Gate } from '@/worker/gate'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import { systemCtx, type Ctx, type Role } from '../context'
import { checkLatch } from './check-latch'
import { installLatch } from './install-latch'
import { withLatchLock } from './lock'
import { removeLatch } from './remove-latch'
import { repairLatch } from './repair-latch'
import { setGovernance } from './set-governance'
import type { LatchStatus } from './status'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u', name: 'Ada', role } })
const [admin, keeper] = [as('admin'), systemCtx('latch-keeper')]
const admission = (plural: string) => ({ group: 'admissionregistration.k8s.io', version: 'v1', plural })
const [WEBHOOKS, POLICIES] = ['mutatingwebhookconfigurations', 'mutatingadmissionpolicies'].map(admission) as [
  ReturnType<typeof admission>,
  ReturnType<typeof admission>,
]

const BREAK_GLASS = { user: 'somebody', groups: ['drydock:break-glass'], fieldManager: 'kubectl' }

let cluster: SandboxTestCluster
let gate: Gate
let clusterId: string
let known: Capabilities

// Keys and the gate's certificate of this file alone.
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  clusterId = (await addCluster(admin, { name: 'quay', kubeconfig: cluster.kubeconfig })).clusterId
  known = (await row()).discovery as unknown as Capabilities
  const namespace = await cluster.namespace()
  const { machineDeployment: name } = await cluster.workloadCluster({
    ...{ namespace, name: 'one', version: 'v1.34.0', controlPlane: { replicas: 1 }, workers: { replicas: 1 } },
  })
  const { metadata, apiVersion } = await cluster.admin.get(MD, name, namespace)
  const common = { clusterId, namespace, name, workloadCluster: 'one', resourceVersion: metadata.resourceVersion }
  const kind = 'MachineDeployment'
  await db().group.create({
    data: { ...common, id: metadata.uid, kind, apiVersion, governed: true, createdAt: new Date() },
  })
})
afterAll(async () => {
  await closeClients()
  await gate?.stop()
  await cluster?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const row = () => db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
const serves = async (policy: 'v1' | null) => {
  const discovery = { ...known, latch: { policy, webhook: true, guard: true } } as unknown as Prisma.InputJsonValue
  await db().managementCluster.update({ where: { id: clusterId }, data: { discovery } })
}
const names = async (resource: typeof WEBHOOKS) =>
  (await cluster.admin.list(resource, undefined)).items
    .map((o) => o.metadata.name)
    .filter((n) => n.startsWith('drydock'))
const audited = async () =>
  (await db().auditEvent.findMany({ where: { action: { startsWith: 'latch.' } }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )
const LATCHES = ['drydock-kubeadmcontrolplanes', 'drydock-machinedeployments']

test('a webhook that cannot be reached refuses, which proves nothing; an address is kept only where it was chosen', async () => {
  await serves(null)
  const { status } = await installLatch(admin, { clusterId, governs: 'all' })
  expect(status).toMatchObject({
    state: 'unreachable',
    proved: null,
    message: expect.stringContaining('9443') as string,
  })
  expect((await audited()).slice(-2)).toEqual(['latch.install ok', 'latch.installed failed'])
  process.env.DRYDOCK_GATE_HOST = 'gate.elsewhere.example'
  const followed = (await repairLatch(keeper, { clusterId })).webhookUrl
  delete process.env.DRYDOCK_GATE_HOST
  expect(followed).toBe('https://gate.elsewhere.example:9443/latch')

  const webhookUrl = `${gate.url}/latch`
  const chosen = await installLatch(admin, { clusterId, governs: 'all', webhookUrl })
  expect(chosen.status).toMatchObject({ state: 'intact', proved: true, webhookUrl })
  expect((await checkLatch(admin, { clusterId })).webhookUrl).toBe(webhookUrl)
  expect((await row()).latchStatus).toMatchObject({ chosenUrl: webhookUrl })
})

test('where policies are served from now on, the keeper adds them and leaves the webhook, until a person takes it away', async () => {
  await serves('v1')
  expect(await checkLatch(admin, { clusterId })).toMatchObject({ state: 'missing' })
  const before = (await audited()).length
  for (const _again of [1, 2]) {
    expect(await repairLatch(keeper, { clusterId })).toMatchObject({
      ...{
        state: 'intact',
        proved: true,
        beside: true,
        message: expect.stringContaining('webhook of before') as string,
      },
    })
    expect([await names(POLICIES), await names(WEBHOOKS)]).toEqual([LATCHES, LATCHES])
  }
  expect((await audited()).slice(before)).toEqual(['latch.install ok', 'latch.installed ok'])
  expect((await row()).latchForm).toBe('policy')

  // What is kept is kept right, and follows what is governed.
  await expect(cluster.admin.delete(WEBHOOKS, LATCHES[0]!)).rejects.toThrow('This webhook is Drydock’s latch')
  await cluster.sandbox.store.delete(`${WEBHOOKS.plural}.${WEBHOOKS.group}`, LATCHES[0]!, BREAK_GLASS)
  expect(await checkLatch(admin, { clusterId })).toMatchObject({ state: 'missing' })
  await setGovernance(admin, { clusterId, governs: 'object-label', labelKey: 'team/x' })
  const selectors = (await cluster.admin.list(WEBHOOKS, undefined)).items.map((o) => JSON.stringify(o))
  expect(selectors.filter((text) => text.includes('team/x'))).toHaveLength(2)

  // Nothing governed that it could be tried on: it stays.
  await db().group.updateMany({ data: { governed: false } })
  await expect(repairLatch(admin, { clusterId })).rejects.toMatchObject({ code: 'conflict' })
  expect(await names(WEBHOOKS)).toEqual(LATCHES)

  await setGovernance(admin, { clusterId, governs: 'all' })
  await db().group.updateMany({ data: { governed: true } })
  expect(await repairLatch(admin, { clusterId })).toMatchObject({ state: 'intact', proved: true, beside: false })
  expect([await names(POLICIES), await names(WEBHOOKS)]).toEqual([LATCHES, []])
  expect(await names(admission('validatingadmissionpolicies'))).not.toContain('drydock-guard-latch')
  expect((await audited()).slice(-2)).toEqual(['latch.retire-webhook ok', 'latch.webhook-retired ok'])
})

test('its label taken off, a policy is still ours, and is put right', async () => {
  const labels = { 'app.kubernetes.io/managed-by': null }
  await cluster.admin.patch(POLICIES, LATCHES[1]!, undefined, 'merge', { metadata: { labels } })
  expect(await checkLatch(admin, { clusterId })).toMatchObject({
    ...{ state: 'changed', message: expect.stringContaining('metadata.labels') as string },
  })
  expect(await repairLatch(keeper, { clusterId })).toMatchObject({ state: 'intact' })
})

test('what is governed is changed, and the latch with it: nobody had touched it, so that nothing was repaired', async () => {
  await db().group.updateMany({ data: { governed: false } })
  const before = (await audited()).length
  const choices = [{ governs: 'object-label', labelKey: 'team/z' }, { governs: 'all' }] as const
  const states = await statesWritten()
  for (const choice of choices) await setGovernance(admin, { clusterId, ...choice })
  // Nor does a page call it changed while it follows, or whole before it does.
  expect(new Set(await states())).toEqual(new Set(['intact', 'unknown']))
  const both = ['latch.follow ok', 'latch.followed ok']
  expect((await audited()).slice(before)).toEqual([...both, ...both])
  const last = await db().auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } })
  expect(last.reason).toMatch(/^What is governed was changed, and with it these parts of the latch: Mutating.*drydock-/)
  // What somebody took away before that is put back.
  await cluster.admin.delete(POLICIES, LATCHES[0]!)
  await checkLatch(admin, { clusterId })
  await setGovernance(admin, { clusterId, governs: 'object-label', labelKey: 'team/z' })
  expect((await audited()).at(-1)).toBe('latch.repaired ok')
  await setGovernance(admin, { clusterId, governs: 'all' })
  await db().group.updateMany({ data: { governed: true } })
})

test('what somebody took away since the latch was looked at last is repaired, whatever is governed from then on', async () => {
  await db().group.updateMany({ data: { governed: false } })
  await checkLatch(admin, { clusterId })
  await cluster.admin.delete(POLICIES, LATCHES[0]!)
  await setGovernance(admin, { clusterId, governs: 'object-label', labelKey: 'team/y' })
  expect((await audited()).at(-1)).toBe('latch.repaired ok')
  await setGovernance(admin, { clusterId, governs: 'all' })
  await db().group.updateMany({ data: { governed: true } })
})

test('a repair that cannot look, or is refused, is on record once', async () => {
  const before = (await audited()).length
  cluster.sandbox.faults.fail(503)
  for (const ctx of [admin, keeper])
    await expect(repairLatch(ctx, { clusterId })).rejects.toMatchObject({
      code: 'refused',
      message: 'The latch could not be repaired.',
    })
  cluster.sandbox.faults.fail(0)
  expect((await audited()).slice(before)).toEqual(['latch.repaired refused'])
})

test('repairs and a new choice at the same time: the choice stands', async () => {
  await db().group.updateMany({ data: { governed: false } })
  await cluster.admin.delete(POLICIES, LATCHES[1]!)
  const repairs = [1, 2].map(() => repairLatch(keeper, { clusterId }))
  await Promise.all([setGovernance(admin, { clusterId, governs: 'object-label', labelKey: 'team/y' }), ...repairs])
  expect(await checkLatch(admin, { clusterId })).toMatchObject({ state: 'intact' })
  const bindings = await cluster.admin.list(admission('mutatingadmissionpolicybindings'), undefined)
  expect(bindings.items.map((o) => JSON.stringify(o.spec)).filter((text) => text.includes('team/y'))).toHaveLength(2)
})

/** Of each that is written to the row from now on. */
async function statesWritten(): Promise<() => Promise<string[]>> {
  await db().$executeRaw`CREATE TABLE written AS SELECT latch_status->>'state' AS state FROM management_cluster LIMIT 0`
  await db().$executeRaw`CREATE FUNCTION written() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO written VALUES (NEW.latch_status->>''state''); RETURN NULL; END'`
  await db().$executeRaw`CREATE TRIGGER written AFTER UPDATE OF latch_status ON management_cluster
    FOR EACH ROW EXECUTE FUNCTION written()`
  return async () => (await db().$queryRaw<{ state: string }[]>`SELECT state FROM written`).map(({ state }) => state)
}

test('one at a time, per cluster', async () => {
  const order: string[] = []
  const work = (name: string, until: Promise<void>) => async () => {
    order.push(`${name} begins`)
    await until
    order.push(`${name} ends`)
  }
  let go = (): void => undefined
  const open = new Promise<void>((resolve) => (go = resolve))
  const first = withLatchLock(clusterId, work('first', open))
  await expect.poll(() => order).toEqual(['first begins'])
  const second = withLatchLock(clusterId, work('second', Promise.resolve()))
  await withLatchLock(crypto.randomUUID(), work('other', Promise.resolve()))
  expect(order).toEqual(['first begins', 'other begins', 'other ends'])
  go()
  await Promise.all([first, second])
  expect(order.slice(3)).toEqual(['first ends', 'second begins', 'second ends'])
})

test('a viewer’s looks ask the cluster once in a few seconds; an administrator’s always', async () => {
  await checkLatch(as('viewer'), { clusterId })
  const { latchCheckedAt } = await row()
  const stored = (await row()).latchStatus as unknown as LatchStatus
  expect(await checkLatch(as('operator'), { clusterId })).toEqual(stored)
  expect((await row()).latchCheckedAt).toEqual(latchCheckedAt)
  await checkLatch(admin, { clusterId })
  expect((await row()).latchCheckedAt!.getTime()).toBeGreaterThan(latchCheckedAt!.getTime())
})

test('removed, it forgets the address that was chosen', async () => {
  await removeLatch(admin, { clusterId, held: [] })
  expect((await row()).latchStatus).toMatchObject({ state: 'none' })
  expect((await row()).latchStatus).not.toHaveProperty('chosenUrl')
})
