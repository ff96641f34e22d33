import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { PolicySpec } from '@/lib/domain/policies'
import { inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, CLOSED, cy, says, timedCluster } from '@/testenv/timed'
import { approveChange } from '../changes/approve-change'
import { withdrawApproval } from '../changes/withdraw-approval'
import { getUpdate, listUpdates } from '../fleet/list-updates'
import { TELLING, toldWords } from './lifecycle'

useTestDatabase()
const { at } = timedCluster()

/** Workers of a managed Cluster whose version goes up. */
async function managed(rules: Omit<PolicySpec, 'select'>): Promise<Held> {
  const held = await at.held()
  const { clusterId, namespace, workloadCluster: name } = held.change
  await db().workloadCluster.upsert({
    where: { clusterId_namespace_name: { clusterId, namespace, name } },
    create: {
      ...{ id: randomUUID(), clusterId, namespace, name, provider: 'cluster.x-k8s.io', topologyClass: 'metal' },
      labels: {},
    },
    update: { topologyClass: 'metal' },
  })
  await says(held, rules)
  return held
}
const step = async ({ change: { id } }: Held) => {
  const { upgrade } = await getUpdate(cy, id)
  return upgrade?.steps.find(({ changeId }) => changeId === id)
}

test('a group waits for its turn while its approval stands, and for approval again when that is taken back', async () => {
  const held = await managed(CLOSED)
  expect(await step(held)).toMatchObject({ state: 'waiting', due: false })
  await approveChange(ada, inputFor(held))
  expect(await step(held)).toMatchObject({ state: 'waiting', due: true })
  await withdrawApproval(ada, { changeId: held.change.id })
  expect(await step(held)).toMatchObject({ state: 'waiting', due: false })
})

test('workers that wait for the version of their Cluster lead to their control plane as long as that waits for people', async () => {
  const held = await managed(CLOSED)
  const { id: _, ...like } = held.change as unknown as Prisma.ChangeCreateManyInput
  const plane = await db().change.create({
    data: { ...like, groupId: randomUUID(), groupKind: 'KubeadmControlPlane', groupName: 'cp', heldBy: 'hook' },
  })
  const by = async () => (await getUpdate(cy, held.change.id)).blockedBy
  expect(await by()).toBeNull()
  await db().change.update({ where: { id: held.change.id }, data: { heldBy: 'hook' } })
  const first = { changeId: plane.id, name: 'cp', version: held.change.toVersion, first: true, rejected: false }
  expect(await by()).toMatchObject(first)
  expect((await listUpdates(cy, { tab: 'waiting' })).planes).toMatchObject({ [held.change.id]: first })
  expect(await by()).toMatchObject({ begun: false })
  const moved = { machineId: randomUUID(), machineName: 'cp-1', state: 'created', startedAt: new Date() }
  await db().machineProgress.create({ data: { changeId: plane.id, ...moved } })
  expect(await by()).toMatchObject({ ...first, begun: true })
  await db().change.update({ where: { id: plane.id }, data: { state: 'running' } })
  expect(await by()).toBeNull()
})

test('nobody is asked about a group that goes by itself', async () => {
  const held = await managed({ approvals: 0, strategy: 'replace', ...CLOSED })
  expect(await step(held)).toMatchObject({ state: 'waiting', due: false, goes: true })
})

test('what is told in one moment is told in the order of the upgrade', async () => {
  const held = await managed(CLOSED)
  const { clusterId, namespace, workloadCluster, toVersion } = held.change
  const at = Date.now()
  const tell = (hook: string, ms: number) =>
    db().gateCall.create({
      data: {
        ...{ clusterId, hook, group: `${namespace}/${workloadCluster}`, answer: 'ok', message: toldWords(toVersion) },
        ...{ firstAt: new Date(at + ms), lastAt: new Date(at + ms) },
      },
    })
  await tell('AfterControlPlaneUpgrade', -120_000)
  await tell('AfterClusterUpgrade', 1)
  await tell('AfterWorkersUpgrade', 3)
  const { upgrade } = await getUpdate(cy, held.change.id)
  expect(upgrade?.told.map(({ hook }) => hook)).toEqual(TELLING)
})
