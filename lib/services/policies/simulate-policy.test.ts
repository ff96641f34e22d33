import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, failure } from '@/testenv/deciding'
import { simulatePolicy, type SimulatedPolicy } from './simulate-policy'

useTestDatabase()
const viewer = as('viewer')

async function groupOf(name: string, size: number, kind = 'MachineDeployment'): Promise<string> {
  const { id: clusterId } = await db().managementCluster.upsert({
    where: { name: 'm' },
    create: { name: 'm', server: 'https://127.0.0.1:1' },
    update: {},
  })
  const api = kind === 'MachineDeployment' ? 'cluster.x-k8s.io/v1beta2' : 'controlplane.cluster.x-k8s.io/v1beta2'
  const common = { clusterId, namespace: 'fleet', workloadCluster: 'w', resourceVersion: '1', createdAt: new Date() }
  const { id } = await db().group.create({
    data: {
      ...{ ...common, id: randomUUID(), kind, apiVersion: api, name, replicas: size, desiredReplicas: size },
      ...{ strategy: 'RollingUpdate', maxSurge: '1', maxUnavailable: '0', availableReplicas: size },
    },
  })
  await db().machine.createMany({
    data: Array.from({ length: size }, (_, i) => ({
      ...{ ...common, id: randomUUID(), name: `${name}-${i}`, node: `${name}-${i}`, groupKind: kind, groupName: name },
      ...{ provider: 'cluster.x-k8s.io', phase: 'Running', state: 'ready', sentence: '', machineSet: `${name}-a` },
      ...{ controlPlane: false, ready: true, available: true, upToDate: true, verdict: 'up-to-date' },
    })),
  })
  return id
}
const draft = (spec: object, more = {}) => ({ name: 'd', spec: { select: { names: ['a', 'b'] }, ...spec }, ...more })

/** Of what is not a pool. */
async function simulated(wish: object): Promise<SimulatedPolicy | null> {
  const said = await simulatePolicy(viewer, wish)
  if (said === 'pools') throw new Error('it is for pools only')
  return said
}

test('the next rollout, as the policy would have it go: of its largest group, or of the one that is asked for', async () => {
  expect(await simulated(draft({}))).toBeNull()
  const [a, b] = [await groupOf('a', 4), await groupOf('b', 6)]
  const both = await simulated(draft({}))
  expect(both).toMatchObject({ group: { id: b, machines: 6 }, others: [{ id: b }, { id: a }], left: 0 })
  expect(both?.ways).toMatchObject([
    { way: 'in-place', updated: 5, created: 1, deleted: 1 },
    { way: 'replace', updated: 0, created: 6, deleted: 6, lowest: 6, most: 7 },
  ])
  const shaped = { strategy: 'replace', maxSurge: 3, maxUnavailable: 1 }
  const other = await simulated(draft(shaped, { groupId: a }))
  expect(other?.group.id).toBe(a)
  expect(other?.ways).toMatchObject([{ way: 'replace', created: 4, deleted: 4, floor: 3, most: 7 }])
  const only = await simulated(draft({ strategy: 'in-place-only', maxSurge: 0, maxUnavailable: 2 }))
  expect(only?.ways).toMatchObject([{ way: 'in-place', updated: 6, created: 0, deleted: 0, lowest: 4 }])
})

test('one machine of a control plane after the other', async () => {
  await groupOf('p', 3, 'KubeadmControlPlane')
  const said = await simulated({ name: 'd', spec: { select: { names: ['p'] }, strategy: 'replace' } })
  expect(said?.ways).toMatchObject([{ way: 'replace', created: 3, deleted: 3, most: 4 }])
})

test('what nobody could save is not simulated', async () => {
  expect(await failure(simulatePolicy(viewer, draft({ approvals: -1 })))).toMatchObject({ code: 'invalid' })
})

test('pools are not simulated, and it is said where nothing else is there', async () => {
  const pool = await groupOf('pool', 9, 'MachineConfigPool')
  const small = await groupOf('small', 2)
  const spec = (...names: string[]) => ({ name: 'd', spec: { select: { names } } })
  expect(await simulatePolicy(viewer, spec('pool'))).toBe('pools')
  expect(await simulatePolicy(viewer, { ...spec('pool', 'small'), groupId: pool })).toMatchObject({
    ...{ group: { id: small }, others: [{ id: small }] },
  })
  await groupOf('large', 501)
  expect(await simulatePolicy(viewer, spec('pool', 'small', 'large'))).toMatchObject({
    ...{ others: [{ id: small }], left: 1 },
  })
  expect(await simulatePolicy(viewer, spec('nobody'))).toBeNull()
})

test('all that is wrong is said at once, and a name only where there is one', async () => {
  const wrong = { approvals: 11, maxSurge: 0, maxUnavailable: 0 }
  const { more } = await failure(simulatePolicy(viewer, { name: 'Bad Name', spec: wrong }))
  expect(more.fields?.map(({ field }) => field)).toEqual(['name', 'spec.approvals', 'spec.maxUnavailable'])
  expect(await simulatePolicy(viewer, { name: '', spec: { select: { names: ['nobody'] } } })).toBeNull()
})
