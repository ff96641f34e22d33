import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { MOVED } from '@/lib/providers/cluster-api'
import { soFar } from './so-far'
import { writeVerdicts } from './verdicts'

useTestDatabase()

async function aChange(groupKind: string) {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const of = { clusterId, groupKind, namespace: 'n', groupName: 'g', workloadCluster: 'w' }
  const detectedAt = new Date(1_000_000)
  const { id: changeId } = await db().change.create({
    data: {
      ...{ ...of, groupId: randomUUID(), fingerprint: 'f', state: 'waiting', summary: '', heldBy: 'latch', detectedAt },
      ...{ resourceVersion: '1', machines: 12, changeSet: {}, outlook: {} },
    },
  })
  /** `set`: of which it is a part; null: it is gone. */
  const machine = async (
    state: string,
    set: string | null,
    {
      began = true,
      made = 0,
      deleting = false,
      illAt = null,
      sentence = '',
    }: { sentence?: string; began?: boolean; made?: number; deleting?: boolean; illAt?: Date | null } = {},
  ) => {
    const id = randomUUID()
    const name = `m-${id}`
    if (set !== null)
      await db().machine.create({
        data: {
          ...{ ...of, id, name, provider: 'cluster.x-k8s.io', machineSet: set, deleting, resourceVersion: '1' },
          ...{ phase: 'Running', state: 'ready', sentence, createdAt: new Date(made) },
        },
      })
    const startedAt = began ? new Date() : null
    await db().machineProgress.create({ data: { changeId, machineId: id, machineName: name, state, startedAt, illAt } })
    return name
  }
  return { changeId, machine, group: { clusterId, kind: groupKind, namespace: 'n', name: 'g' } }
}

test('nothing, before anything of it began', async () => {
  const { changeId, machine } = await aChange('MachineDeployment')
  await machine('waiting', 'old', { began: false })
  await machine('done', 'new', { began: false })
  expect(await soFar(changeId, ['old'])).toBeUndefined()
})

test('what was chosen as it was held is out of service, begins when it goes on, and is no machine that is up to date', async () => {
  const { changeId, machine, group } = await aChange('MachineDeployment')
  const moved = await machine('updating', 'new', { sentence: MOVED })
  const through = await machine('done', 'new')
  expect(await soFar(changeId, ['old'])).toEqual({ inPlace: 2, created: 0, deleted: 0, outOfService: 1 })
  await writeVerdicts({ ...group, fence: 1n }, new Map([['old', { verdict: 'in-place', reason: '' }]]))
  const rows = await db().machine.findMany({ where: { name: { in: [moved, through] } } })
  expect(Object.fromEntries(rows.map(({ name, verdict }) => [name, verdict]))).toEqual({
    [moved]: 'in-place',
    [through]: 'up-to-date',
  })
})

test('what was dealt with or is at it, each once, and nothing that is left', async () => {
  const { changeId, machine } = await aChange('MachineDeployment')
  for (const state of ['done', 'updating', 'failed']) await machine(state, 'new')
  for (const state of ['created', 'failed']) await machine(state, 'new', { made: 2_000_000 })
  await machine('deleted', null)
  await machine('deleting', 'old', { deleting: true })
  // Failed, and put back to wait: of those that are left.
  await machine('failed', 'old')
  await machine('waiting', 'old', { began: false })
  expect(await soFar(changeId, ['old'])).toEqual({ inPlace: 3, created: 2, deleted: 2 })
})

test('what a health check had deleted is no deletion of the rollout’s', async () => {
  const { changeId, machine } = await aChange('MachineDeployment')
  await machine('deleted', null, { illAt: new Date() })
  await machine('deleting', 'new', { deleting: true, illAt: new Date() })
  await machine('created', 'new', { made: 2_000_000 })
  expect(await soFar(changeId, ['old'])).toEqual({ inPlace: 0, created: 1, deleted: 0 })
})

test('nor what others deleted when it was through, or what was made for that; but with fewer wanted it may be', async () => {
  const { changeId, machine } = await aChange('MachineDeployment')
  await machine('deleted', null)
  await db().machineProgress.updateMany({ where: { changeId }, data: { throughAt: new Date() } })
  await machine('created', 'new', { made: 2_000_000 })
  await machine('done', 'new')
  expect(await soFar(changeId, ['old'], 1)).toEqual({ inPlace: 1, created: 0, deleted: 0 })
  await db().change.update({ where: { id: changeId }, data: { outlook: { replace: { removed: 1 } } } })
  expect(await soFar(changeId, ['old'])).toEqual({ inPlace: 1, created: 1, deleted: 1 })
})

test('of a control plane, by its machines', async () => {
  const { changeId, machine } = await aChange('KubeadmControlPlane')
  await machine('done', '')
  const left = await machine('failed', '')
  expect(await soFar(changeId, [left])).toEqual({ inPlace: 1, created: 0, deleted: 0 })
})

test('of a pool, only nodes that are through: what is left counts one that is at it, or failed', async () => {
  const { changeId, machine } = await aChange('MachineConfigPool')
  for (const state of ['done', 'done', 'updating', 'failed']) await machine(state, null)
  await machine('waiting', null, { began: false })
  expect(await soFar(changeId, [])).toEqual({ inPlace: 2, created: 0, deleted: 0, underWay: 2 })
})
