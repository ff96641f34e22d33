import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { systemCtx } from '../context'
import { getUpdate, listUpdates } from '../fleet/list-updates'
import { heldPlanesAmong } from './held-plane'
import { heldFor } from './held-for'
import { blockedAmong, waitingWorkers } from './held-scaling'
import { letWorkersGrow } from './let-workers-grow'

useTestDatabase()

const FINGERPRINT = 'f'.repeat(64)
const OUTLOOK = { inPlace: null, replace: { counts: {}, created: 0, deleted: 0, headline: '' }, uncovered: [] }

test('a group that is stuck on its control plane leads to the change of that which is held; so does one under way that needs new machines', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'm', server: 'https://127.0.0.1:1' } })
  const common = { clusterId, namespace: 'n', workloadCluster: 'w' }
  const change = (groupKind: string, groupName: string, more: object) =>
    db().change.create({
      data: {
        ...{
          ...common,
          groupId: randomUUID(),
          groupKind,
          groupName,
          fingerprint: FINGERPRINT,
          state: 'stuck',
          machines: 1,
        },
        ...{ fromVersion: 'v1.33.6', toVersion: 'v1.33.8' },
        ...{ summary: 's', heldBy: 'latch', resourceVersion: '1', changeSet: { pairs: [], fields: [] } },
        outlook: OUTLOOK,
        ...more,
      },
    })
  const plane = await change('KubeadmControlPlane', 'cp', { state: 'waiting' })
  const held = 'Waiting for approval in Drydock: to version v1.33.8'
  const version = { apiVersion: 'x', resourceVersion: '1', createdAt: new Date() }
  await db().group.create({
    data: { ...common, ...version, id: plane.groupId, kind: 'KubeadmControlPlane', name: 'cp', held },
  })
  const blocked =
    'MachineSet w-1: Scaling up from 1 to 2 replicas is blocked because: KubeadmControlPlane n/cp is upgrading'
  const stuckReason = `${blocked} ("ControlPlaneIsStable" preflight check failed).`
  const { id } = await change('MachineDeployment', 'a', { stuckReason })
  await change('MachineDeployment', 'b', { stuckReason: 'No machine has moved for 21 minutes.' })
  const needs = (created: number, before = 0) => ({
    outlook: {
      ...OUTLOOK,
      replace: { ...OUTLOOK.replace, created },
      before: { inPlace: 0, created: before, deleted: 0 },
    },
  })
  const made = (created: number, madeUp = 0) => ({
    outcome: { updatedInPlace: 0, created, deleted: 0, failed: 0, madeUp },
  })
  const running = { state: 'running' }
  const { id: waits } = await change('MachineDeployment', 'c', { ...running, ...needs(1, 2), ...made(3, 1) })
  // All of them are there, or none is needed.
  await change('MachineDeployment', 'd', { ...running, ...needs(1, 2), ...made(3) })
  await change('MachineDeployment', 'e', { ...running, ...needs(2), settling: true })
  await change('MachineDeployment', 'f', running)
  const { planes } = await listUpdates(systemCtx('test'), { tab: 'running' })
  const by = {
    ...{ changeId: plane.id, name: 'cp', version: 'v1.33.8' },
    ...{ begun: expect.any(Boolean) as boolean, rejected: false, helps: true },
  }
  expect(planes).toEqual({ [id]: by, [waits]: by })
  expect((await getUpdate(systemCtx('test'), waits)).blockedBy).toEqual(by)
  expect(Object.keys(await heldPlanesAmong([waits, plane.id]))).toEqual([waits])

  // Of a higher minor version its machines would not be made there either; held, it gets those that it has.
  const minor = { fromVersion: 'v1.33.6', toVersion: 'v1.34.2' }
  const { id: higher } = await change('MachineDeployment', 'g', { ...running, ...minor, ...needs(1) })
  const { id: kept } = await change('MachineDeployment', 'h', { state: 'waiting', ...minor, ...needs(1) })
  expect((await blockedAmong([kept])).get(kept)).toEqual(by)
  expect((await blockedAmong([kept], 'let go')).get(kept)).toEqual({ ...by, helps: false })

  // Somebody lets worker groups grow there.
  await db().change.update({ where: { id: plane.id }, data: { workersGrowAt: new Date(), workersGrowBy: 'Ada' } })
  const planesNow = async () => (await listUpdates(systemCtx('test'), { tab: 'running' })).planes
  expect(await planesNow()).toEqual({ [higher]: { ...by, helps: false } })
  expect([...(await blockedAmong([kept])).keys()]).toEqual([])
  expect((await listUpdates(systemCtx('test'), { tab: 'waiting' })).planes).toEqual({ [kept]: { ...by, helps: false } })
  await db().change.delete({ where: { id: higher } })
  await db().change.delete({ where: { id: kept } })
  const ofPlane = { id: plane.id, groupKind: 'KubeadmControlPlane', fromVersion: 'v1.33.6', toVersion: 'v1.33.8' }
  expect(await waitingWorkers(ofPlane)).toMatchObject({ by: 'Ada' })

  // Let go since, and taken back before a machine began: that had ended it, and somebody may let them grow anew.
  const decision = await db().decision.create({
    data: {
      ...{ changeId: plane.id, fingerprint: FINGERPRINT, mode: 'replace', actorId: 'ada', actorName: 'Ada' },
      acceptedAt: new Date(),
    },
  })
  expect(await planesNow()).toMatchObject({ [id]: { begun: false } })
  expect(await waitingWorkers(ofPlane)).toMatchObject({ by: null, at: null })
  await letWorkersGrow(systemCtx('test'), { changeId: plane.id, fingerprint: FINGERPRINT })
  expect(await planesNow()).toEqual({})
  await db().decision.delete({ where: { id: decision.id } })

  // A machine of it began, and it is held again half way.
  await db().machine.create({
    data: {
      ...{ ...common, id: randomUUID(), name: 'cp-1', groupKind: 'KubeadmControlPlane', groupName: 'cp' },
      ...{ provider: 'cluster.x-k8s.io', resourceVersion: '1', createdAt: new Date(), version: 'v1.33.8' },
      ...{ phase: 'Running', state: 'ready', sentence: '' },
    },
  })
  expect(await planesNow()).toMatchObject({ [id]: { changeId: plane.id, begun: true } })
  expect(await waitingWorkers(ofPlane)).toBeNull()

  // How many workers are missing is told all the same.
  const suspended = async () => (await heldFor(ofPlane))!.suspended.join(' ')
  expect(await suspended()).toContain('unless their preflight checks are switched off. ')
  await db().group.create({
    data: { ...common, ...version, id: randomUUID(), kind: 'MachineDeployment', name: 'a', desiredReplicas: 2 },
  })
  expect(await suspended()).toContain('checks are switched off: 1 group of them wants 2 more.')
})
