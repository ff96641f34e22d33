import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { HELD } from '@/lib/domain/latch/names'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { as } from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import { getCluster } from '../clusters/get-cluster'
import { listClusters } from '../clusters/list-clusters'
import { systemCtx } from '../context'
import { needsYou } from '../fleet/needs-you'
import { checkLatch } from './check-latch'
import { installLatch } from './install-latch'
import { planRemoveLatch } from './plan-remove-latch'
import { removeLatch } from './remove-latch'
import { repairLatch } from './repair-latch'
import { setGovernance } from './set-governance'
import type { LatchStatus } from './status'

useTestDatabase()

const [admin, keeper] = [as('admin'), systemCtx('latch-keeper')]
// It tells of policies only where a test says so; the API server behind it can carry them.
const [TOO_OLD, NEW] = [
  { policy: null, webhook: false, guard: false },
  { policy: 'v1', webhook: true, guard: true },
]
let cluster: SandboxTestCluster
let clusterId: string
let known: Capabilities
let groupId: string
let namespace: string

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  clusterId = (await addCluster(admin, { name: 'quay', kubeconfig: cluster.kubeconfig })).clusterId
  known = (await row()).discovery as unknown as Capabilities
  namespace = await cluster.namespace()
  await cluster.workloadCluster({
    ...{ namespace, name: 'one', version: 'v1.34.0', controlPlane: { replicas: 1 }, workers: { replicas: 1 } },
  })
  const { metadata, apiVersion } = await cluster.admin.get(MD, 'one-md', namespace)
  groupId = metadata.uid
  const common = { clusterId, namespace, name: 'one-md', workloadCluster: 'one', governed: true, createdAt: new Date() }
  const { resourceVersion } = metadata
  await db().group.create({ data: { ...common, id: groupId, kind: 'MachineDeployment', apiVersion, resourceVersion } })
  await serves(TOO_OLD)
})
afterAll(async () => {
  await closeClients()
  await cluster?.stop()
})

const row = () => db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
const serves = async (latch: object) => {
  const discovery = { ...known, latch } as unknown as Prisma.InputJsonValue
  await db().managementCluster.update({ where: { id: clusterId }, data: { discovery } })
}
/** As a worker that owns the cluster, and has looked at all of its groups. */
const watched = async (until = new Date(Date.now() + 3_600_000)) => {
  const lease = { owner: 'me', fence: 7n, until }
  await db().clusterLease.upsert({ where: { clusterId }, create: { clusterId, ...lease }, update: lease })
  await db().managementCluster.update({
    where: { id: clusterId },
    data: { state: 'connected', watchFence: 7n, watchLookedAt: new Date() },
  })
}
const shown = async () => (await getCluster(admin, { clusterId })).latch.status as unknown as LatchStatus
const mark = async () => (await listClusters(admin))[0]!.unprotected
const needs = async () => (await needsYou(admin, {})).filter(({ kind }) => kind.startsWith('latch'))
const audited = async () =>
  (await db().auditEvent.findMany({ where: { action: { startsWith: 'latch.' } }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )

test('nobody watches: it is recorded, and says that nothing is held, everywhere', async () => {
  const { status, answers } = await installLatch(admin, { clusterId, governs: 'all' })
  expect(answers).toEqual([])
  expect(status).toMatchObject({ state: 'not-watching', watch: true, proved: null })
  expect(await audited()).toEqual(['latch.install ok', 'latch.installed failed'])
  expect(await row()).toMatchObject({ latchForm: 'watch', watchFence: null })
  expect(await mark()).toBe('not watched now')
  expect(await needs()).toMatchObject([
    { where: 'quay', detail: expect.stringContaining('no worker of Drydock follows this cluster') as string },
  ])
})

test('while a worker watches it is so; when its lease has run out it is not, whatever was written last', async () => {
  await watched()
  expect(await checkLatch(admin, { clusterId })).toMatchObject({ state: 'watching' })
  expect([await mark(), await needs()]).toEqual([null, []])
  const until = new Date(Date.now() - 60_000)
  await watched(until)
  expect((await row()).latchStatus).toMatchObject({ state: 'watching' })
  expect(await shown()).toMatchObject({ state: 'not-watching', since: until.toISOString() })
  expect(await mark()).toBe('not watched now')
  expect(await needs()).toMatchObject([{ since: until.toISOString() }])
})

test.each<[string, () => Promise<unknown>, RegExp]>([
  [
    'the cluster is away',
    () => db().managementCluster.update({ where: { id: clusterId }, data: { state: 'unreachable' } }),
    /not connected/,
  ],
  [
    'the watch of a kind is down',
    () =>
      db().stream.create({
        data: { clusterId, resource: 'machinedeployments.cluster.x-k8s.io', state: 'backoff', message: 'forbidden' },
      }),
    /machinedeployments.cluster.x-k8s.io: forbidden/,
  ],
  [
    'whoever looks at its groups hangs',
    () =>
      db().managementCluster.update({
        where: { id: clusterId },
        data: { watchLookedAt: new Date(Date.now() - 60_000) },
      }),
    /not looked at/,
  ],
  [
    'another worker has just taken over',
    () => db().clusterLease.update({ where: { clusterId }, data: { fence: 8n } }),
    /for the first time/,
  ],
])('not watched: %s', async (_what, happens, words) => {
  await watched()
  expect(await mark()).toBeNull()
  await happens()
  expect(await shown()).toMatchObject({ state: 'not-watching', message: expect.stringMatching(words) as string })
  expect(await mark()).toBe('not watched now')
  await db().stream.deleteMany({ where: { clusterId } })
})

test('a group that could not be paused is told with the API server’s words', async () => {
  await watched()
  const why = 'machinedeployments "one-md" is forbidden: User "drydock" cannot patch'
  await db().group.update({ where: { id: groupId }, data: { watchTrouble: why } })
  expect(await shown()).toMatchObject({ state: 'ineffective', message: expect.stringContaining(why) as string })
  expect(await mark()).toBe('latch without effect')
  await db().group.update({ where: { id: groupId }, data: { watchTrouble: null } })
})

test('where Drydock may not patch groups it is not said to pause them, before any of them changes', async () => {
  await watched()
  const lacks = (group: string, resource: string) => ({ verb: 'patch', group, resource, part: 'latch', why: '' })
  const is = (missingPermissions: object[]) =>
    db().managementCluster.update({
      where: { id: clusterId },
      data: { discovery: { ...known, latch: TOO_OLD, missingPermissions } as unknown as Prisma.InputJsonValue },
    })
  await is([lacks('cluster.x-k8s.io', 'machinedeployments')])
  const told = await shown()
  expect(told).toMatchObject({
    state: 'ineffective',
    message: expect.stringMatching(/^Nothing holds changes of a MachineDeployment: .* may not patch one/) as string,
  })
  expect(told.message).not.toContain('pauses one when it sees it changed')
  expect(await mark()).toBe('latch without effect')
  // Kinds that are not served there.
  await is([lacks('machineconfiguration.openshift.io', 'machineconfigpools')])
  expect(await shown()).toMatchObject({ state: 'watching' })
  await serves(TOO_OLD)
})

test('choosing other groups writes nothing to the cluster, and begins nothing anew', async () => {
  await db().group.update({ where: { id: groupId }, data: { watched: 'v1beta2 x' } })
  const { watchSince } = await row()
  const { status } = await setGovernance(admin, { clusterId, governs: 'object-label', labelKey: 'team/x' })
  expect(status).toMatchObject({ state: 'watching' })
  await installLatch(admin, { clusterId, governs: 'all' })
  expect((await row()).watchSince).toEqual(watchSince)
  expect(await db().group.findUnique({ where: { id: groupId } })).toMatchObject({ watched: 'v1beta2 x' })
})

test('the keeper leaves it alone; upgraded, the real latch comes, and watching goes on beside it until a person ends it', async () => {
  await watched()
  const before = (await audited()).length
  expect(await repairLatch(keeper, { clusterId })).toMatchObject({ state: 'watching' })
  expect((await audited()).slice(before)).toEqual([])

  const version = (v: string) => ({ spec: { template: { spec: { version: v } } } })
  await serves(NEW)
  expect(await checkLatch(admin, { clusterId })).toMatchObject({ state: 'missing' })
  for (const _again of [1, 2])
    expect(await repairLatch(keeper, { clusterId })).toMatchObject({
      ...{ state: 'intact', proved: true, watchesBeside: true },
      message: expect.stringContaining('still watches') as string,
    })
  // Nobody took anything away: it is not told as if somebody had.
  expect((await audited()).slice(before)).toEqual(['latch.install ok', 'latch.installed ok'])
  const { reason } = await db().auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } })
  expect(reason).toBe('Its API server serves admission policies now; Drydock watched until now.')
  expect(await row()).toMatchObject({ latchForm: 'policy', watchFence: 7n })
  const held = await cluster.admin.patch(MD, 'one-md', namespace, 'merge', version('v1.34.1'))
  expect(held.metadata.annotations).toHaveProperty([HELD])

  // One of several API servers still is old, and is the one that answered: what holds by the others stays there.
  await serves(TOO_OLD)
  expect(await repairLatch(keeper, { clusterId })).toMatchObject({ state: 'watching' })
  expect((await row()).latchForm).toBe('watch')
  await serves(NEW)
  expect(await repairLatch(keeper, { clusterId })).toMatchObject({ state: 'intact', watchesBeside: true })

  expect(await repairLatch(admin, { clusterId })).toMatchObject({ state: 'intact', proved: true, watchesBeside: false })
  expect(await row()).toMatchObject({ latchForm: 'policy', watchSince: null })
  expect((await audited()).at(-1)).toBe('latch.watch-ended ok')
  expect((await cluster.admin.get(MD, 'one-md', namespace)).metadata.annotations).toHaveProperty([HELD])
})

test('stopped, it pauses nothing any more, names what is held, and leaves it so', async () => {
  await removeLatch(admin, { clusterId, held: [`MachineDeployment ${namespace}/one-md`] })
  await serves(TOO_OLD)
  await installLatch(admin, { clusterId, governs: 'all' })
  const { held, calls, sentences } = await planRemoveLatch(admin, { clusterId })
  expect({ held, calls }).toEqual({ held: [`MachineDeployment ${namespace}/one-md`], calls: [] })
  expect(sentences[0]).toContain('Drydock pauses nothing new')
  await expect(removeLatch(admin, { clusterId, held: [] })).rejects.toMatchObject({ code: 'conflict' })
  await removeLatch(admin, { clusterId, held })
  expect(await row()).toMatchObject({ latchForm: 'none', watchSince: null, watchFence: null })
  expect((await cluster.admin.get(MD, 'one-md', namespace)).metadata.annotations).toHaveProperty([HELD])
})
