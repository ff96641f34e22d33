import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rbacManifest } from '@/lib/domain/access/manifest'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources, startOpenShiftControllers } from '@/sandbox/openshift'
import { poolsConsumer } from '@/worker/pools'
import { startWorker, type Worker } from '@/worker/worker'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import { replaceCredentials } from '../clusters/replace-credentials'
import type { Ctx, Role } from '../context'
import { listAudit } from '../audit/list-audit'
import { actionDto, type ActionDto } from '../openshift/action-row'
import { retryAction } from '../openshift/retry-action'
import { getPool } from './get-pool'
import { listPools } from './list-pools'
import { pausePool } from './pause-pool'
import { previewPool } from './preview-pool'
import { resumePool } from './resume-pool'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const operator = as('operator')
const approver = as('approver')
const POOLS = 'machineconfigpools.machineconfiguration.openshift.io'
const CONFIGS = 'machineconfigs.machineconfiguration.openshift.io'
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }

let server: RunningApiServer
let controllers: { stop(): Promise<void> }
let worker: Worker

beforeAll(async () => {
  const rules = rulesFromManifests(rbacManifest(['openshift', 'openshift-write']))
  server = await startApiServer({
    version: 'v1.35.4',
    families: ['openshift'],
    resources: openShiftResources(),
    objects: openShiftFleet({ machines: 14 }),
    users: { drydock: rules, reader: rulesFromManifests(rbacManifest(['openshift'])) },
  })
  controllers = startOpenShiftControllers(server.store, {
    speed: 40,
    life: false,
    pools: true,
    onError: (e) => console.error(e),
  })
  await addCluster(as('admin'), { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })
  worker = await startWorker({
    consumers: [poolsConsumer],
    parts: [],
    intervalMs: 20,
    tickMs: 100,
    log: pino({ level: 'silent' }),
  })
}, 60_000)
afterAll(async () => {
  server?.faults.fail(0)
  await worker?.stop()
  await controllers?.stop()
  await closeClients()
  await server?.stop()
})

async function until<T>(what: string, probe: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await new Promise((r) => setTimeout(r, 40))) {
    const found = await probe()
    if (found) return found
  }
  throw new Error(`Waited in vain for ${what}: ${JSON.stringify(await db().configPool.findMany())}`)
}
const idOf = async (name: string): Promise<string> =>
  (await until(`the pool ${name}`, () => db().configPool.findFirst({ where: { name, desiredRelease: { not: null } } })))
    .id
const pausedIn = (name: string) => server.store.get(POOLS, name)?.spec?.paused
const looked = async (poolId: string, action: 'pause' | 'resume') => {
  const { uid, resourceVersion, generation } = await previewPool(operator, { poolId, action })
  return { poolId, uid, resourceVersion, generation: generation ?? undefined }
}
const seen = (id: string) =>
  until('the third tick', async () => {
    const row = await db().openShiftAction.findUniqueOrThrow({ where: { id } })
    if (row.state === 'failed') throw new Error(`It failed: ${row.error}`)
    return row.state === 'seen' ? row : null
  })
const audited = async (id: string) =>
  (await db().auditEvent.findMany({ where: { targetId: id }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )

describe('pausing a pool', () => {
  test('shows what follows, the patch and the server’s answer to it, and changes nothing', async () => {
    const poolId = await idOf('worker')
    const preview = await previewPool(operator, { poolId, action: 'pause' })
    expect(preview.call).toMatchObject({
      method: 'PATCH',
      path: '/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker',
      body: { spec: { paused: true } },
    })
    expect(preview.dryRun).toMatchObject({ ok: true })
    expect(preview.follows.join(' ')).toContain('can complete meanwhile')
    expect(preview.warnings.join(' ')).toMatch(/kube-apiserver-to-kubelet-signer, expires on .*, in 5\d days/)
    expect(pausedIn('worker')).toBe(false)
  })

  test('is recorded, stored, seen, and on record with who and why; nodes that have not begun stay', async () => {
    const poolId = await idOf('worker')
    const action = await pausePool(operator, {
      ...(await looked(poolId, 'pause')),
      reason: 'shop week',
      reviewAt: '2099-01-01',
    })
    expect(action).toMatchObject({
      state: expect.stringMatching(/accepted|seen/) as string,
      actorName: 'l.varga',
      reason: 'shop week',
    })
    await seen(action.id)
    expect(await audited(action.id)).toEqual(['pool.paused ok', 'pool.accepted ok', 'pool.seen ok'])
    const metadata = {
      name: 'rendered-worker-next',
      annotations: { 'machineconfiguration.openshift.io/release-image-version': '4.22.4' },
    }
    await server.store.create(
      CONFIGS,
      { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', metadata, spec: {} },
      SOMEBODY,
    )
    await server.store.merge(POOLS, 'worker', { spec: { configuration: { name: metadata.name } } }, SOMEBODY)
    const behind = await until('it is behind', async () => {
      const pool = await getPool(as('viewer'), { id: poolId })
      return pool.state === 'behind' && pool.phases.paused === pool.counts.machines ? pool : null
    })
    expect(behind).toMatchObject({
      paused: true,
      may: { act: false, resume: false },
      action: { id: action.id, state: 'seen' },
    })
    expect(behind.pausedWith).toMatchObject({ id: action.id, actorName: 'l.varga' })
    // Made and recorded here: when is known, on its page and in the list.
    expect(behind.sinceKnown).toBe(true)
    const listed = async () => (await listPools(operator, {})).pools.find(({ id }) => id === poolId)?.sinceKnown
    expect(await listed()).toBe(true)
    expect(behind.certificateWarning).toContain('resume the pool well before that day')
  })

  test('is said again at its review, with another date: it stands since it did', async () => {
    const poolId = await idOf('worker')
    const { id: first } = (await getPool(operator, { id: poolId })).pausedWith!
    await db().openShiftAction.update({ where: { id: first }, data: { reviewAt: new Date(Date.now() - 1_000) } })
    expect(await getPool(operator, { id: poolId })).toMatchObject({ reviewDue: true })
    const { warnings } = await previewPool(operator, { poolId, action: 'pause' })
    expect(warnings).toContain('The pool is paused already: only the record here would be new.')
    const { id } = await pausePool(operator, { ...(await looked(poolId, 'pause')), reviewAt: '2099-02-01' })
    await seen(id)
    // Whenever it was recorded.
    await db().openShiftAction.update({ where: { id }, data: { recordedAt: new Date(Date.now() + 3_600_000) } })
    expect(await getPool(operator, { id: poolId })).toMatchObject({
      ...{ paused: true, reviewDue: false, sinceKnown: true },
      ...{ pausedWith: { id, reviewAt: '2099-02-01T00:00:00.000Z' }, pausedFirst: { id: first } },
    })
    const { pools, due } = await listPools(operator, {})
    expect(due).toBe(0)
    expect(pools.find((one) => one.id === poolId)?.sinceKnown).toBe(true)
    await db().openShiftAction.delete({ where: { id } })
  })

  test('is still told of whoever paused it while a newer decision is under way, and no more once somebody else did', async () => {
    const poolId = await idOf('worker')
    const { clusterId } = await db().configPool.findUniqueOrThrow({ where: { id: poolId } })
    const paused = (await getPool(operator, { id: poolId })).action!
    const { id } = await db().openShiftAction.create({
      data: {
        ...{ clusterId, kind: 'pool', target: 'machineconfigpools/worker', action: 'resume', state: 'failed' },
        ...{ actorId: 'u2', actorName: 'k.other' },
      },
    })
    const now = await getPool(operator, { id: poolId })
    expect(now).toMatchObject({ action: { id }, pausedHere: true, pausedWith: { id: paused.id } })
    await db().openShiftAction.delete({ where: { id } })
    // Nobody hears of the moment in between.
    const { fieldManager } = SOMEBODY
    for (const value of [false, true]) await server.store.merge(POOLS, 'worker', { spec: { paused: value } }, SOMEBODY)
    await until('the other pause', () => db().configPool.findFirst({ where: { id: poolId, pausedBy: fieldManager } }))
    const since = await getPool(operator, { id: poolId })
    expect(since).toMatchObject({ paused: true, action: { state: 'seen' }, pausedHere: false, pausedWith: null })
    expect(since.sinceKnown).toBe(false)
    expect((await listPools(operator, {})).pools.find(({ id: of }) => of === poolId)?.sinceKnown).toBe(false)
  })

  test('resuming says what begins, and it begins', async () => {
    const poolId = await idOf('worker')
    // The row is of a moment before: what the API server has decides.
    const { desiredConfig, desiredRelease } = await db().configPool.findUniqueOrThrow({ where: { id: poolId } })
    const older = { desiredConfig: 'rendered-worker-older', desiredRelease: '4.21.14' }
    await db().configPool.update({ where: { id: poolId }, data: older })
    const preview = await previewPool(operator, { poolId, action: 'resume' })
    await db().configPool.update({ where: { id: poolId }, data: { desiredConfig, desiredRelease } })
    expect(preview.follows[0]).toMatch(
      /^\d+ nodes begin to take up the newest configuration \(4\.22\.4\), at most 2 at a time/,
    )
    const action = await resumePool(approver, await looked(poolId, 'resume'))
    await seen(action.id)
    await until('it is through', async () => (await getPool(operator, { id: poolId })).state === 'updated')
  }, 90_000)
})

describe('what is refused', () => {
  test('pausing the control plane, to everybody, and before the cluster is asked', async () => {
    const poolId = await idOf('master')
    await expect(previewPool(as('admin'), { poolId, action: 'pause' })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('never paused') as string,
    })
    await expect(pausePool(as('admin'), { poolId, resourceVersion: '1' })).rejects.toMatchObject({ code: 'invalid' })
    expect(pausedIn('master')).toBe(false)
    expect((await getPool(operator, { id: poolId })).notPausable).toContain('etcd')
  })

  test('a viewer, and a pool that is gone', async () => {
    const poolId = await idOf('gpu')
    const wish = { poolId, resourceVersion: '1' }
    for (const verb of [pausePool, resumePool])
      await expect(verb(as('viewer'), wish)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(resumePool(operator, wish)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'This needs the role approver; you are operator.',
    })
    await expect(previewPool(as('viewer'), { poolId, action: 'pause' })).rejects.toMatchObject({ code: 'forbidden' })
    const gone = '00000000-0000-4000-8000-000000000000'
    await expect(resumePool(approver, { ...wish, poolId: gone })).rejects.toMatchObject({ code: 'not-found' })
  })

  test('a spec that somebody changed since: shown, and decided anew', async () => {
    const poolId = await idOf('gpu')
    const before = await looked(poolId, 'resume')
    await server.store.merge(POOLS, 'gpu', { spec: { maxUnavailable: 1 } }, SOMEBODY)
    const action = await resumePool(approver, before)
    expect(action).toMatchObject({ state: 'failed', conflict: true })
    expect(action.error).toContain('Somebody else changed MachineConfigPool/gpu')
    expect(action.error).toMatch(/What had changed is maxUnavailable; it still said: paused, and wants rendered-gpu-/)
    const { rows, known } = await listAudit(as('admin'))
    const resumed = rows.find((row) => row.action === 'pool.resumed' && row.target.id === action.id)
    expect(known[resumed!.id]?.openShift).toMatchObject({
      state: 'failed',
      error: action.error,
      stored: 0,
      unsure: false,
    })
    expect(pausedIn('gpu')).toBe(true)
  })

  test('without the permission to change: which one is missing, and a retry once it is there', async () => {
    const poolId = await idOf('worker')
    const wish = await looked(poolId, 'pause')
    const { id: clusterId } = await db().managementCluster.findFirstOrThrow()
    await replaceCredentials(as('admin'), { clusterId, kubeconfig: server.users.reader!.kubeconfig })
    const { id: actionId } = await pausePool(operator, wish)
    // The worker has its client closed with the old credentials: a call in flight may have got no answer.
    const tried = (is: (action: ActionDto) => boolean) =>
      until('the answer', async () => {
        const row = await db().openShiftAction.findUniqueOrThrow({ where: { id: actionId } })
        if (is(actionDto(row))) return row
        if (row.state === 'failed') await retryAction(operator, { actionId })
        return null
      })
    await tried(({ state, error }) => state === 'failed' && /may not change/.test(error ?? ''))
    expect(pausedIn('worker')).toBe(false)
    await replaceCredentials(as('admin'), { clusterId, kubeconfig: server.users.drydock!.kubeconfig })
    await tried(({ state }) => state === 'accepted' || state === 'seen')
    expect(pausedIn('worker')).toBe(true)
  })
})
