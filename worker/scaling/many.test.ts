import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { SCALED } from '@/lib/domain/scaling'
import { objectKey } from '@/lib/kubernetes/paths'
import type { KubeObject } from '@/lib/kubernetes/types'
import { MD, type Held } from '@/testenv/held'
import { timedCluster } from '@/testenv/timed'
import type { ClusterView } from '../types'
import { carryScaling } from './carry-scaling'
import { DEPLOYMENTS, SETS } from './sets'

useTestDatabase()
const { at, view: plain } = timedCluster()
const MS = { ...MD, plural: 'machinesets' }
const list = async (resource: typeof MD, namespace: string) =>
  (await at.cluster.admin.list(resource, namespace, {})).items

/** As many groups besides that were scaled while they are held, and want nothing more. */
async function viewWith(held: Held, besides: number): Promise<ClusterView> {
  const [base, sets, groups] = await Promise.all([plain(), list(MS, held.namespace), list(MD, held.namespace)])
  const [group, set] = [groups.find(({ metadata }) => metadata.name === held.name)!, sets[0]!]
  const all = { groups: [] as KubeObject[], sets: [] as KubeObject[] }
  for (let i = 0; i < besides; i++) {
    const [uid, name] = [randomUUID(), `other-${i}`]
    all.groups.push({ ...group, metadata: { ...group.metadata, uid, name }, spec: { ...group.spec, replicas: 3 } })
    const owner = set.metadata.ownerReferences!.map((one) => ({ ...one, uid, name }))
    all.sets.push({
      ...set,
      metadata: {
        ...set.metadata,
        ...{ uid: randomUUID(), name: `${name}-set`, ownerReferences: owner },
        annotations: { ...set.metadata.annotations, [SCALED]: '+2 of 1 at 3' },
      },
      spec: { ...set.spec, replicas: 3 },
      status: { ...set.status, replicas: 3 },
    })
    await db().group.create({
      data: {
        ...{ id: uid, clusterId: held.change.clusterId, namespace: held.namespace, name, kind: 'MachineDeployment' },
        ...{ workloadCluster: held.change.workloadCluster, apiVersion: group.apiVersion, resourceVersion: '1' },
        ...{ createdAt: new Date(), held: 'waiting' },
        scaling: { set: `${name}-set`, from: 1, to: 3, at: new Date().toISOString(), trouble: null },
      },
    })
  }
  const byKey = (objects: KubeObject[]) => new Map(objects.map((object) => [objectKey(object), object]))
  const known = new Map([
    [SETS, byKey([...all.sets, ...sets])],
    [DEPLOYMENTS, byKey([...all.groups, ...groups])],
  ])
  return { ...base, objects: (resource) => known.get(resource) ?? new Map() }
}

test('beside sixty groups that were scaled while held, and want nothing more, one more is scaled as well', async () => {
  const held = await at.held()
  await db().rolloutPolicy.create({ data: { name: 'all', spec: { select: {}, scaleWhileHeld: true } } })
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { replicas: 3 } })
  await db().group.update({ where: { id: held.change.groupId }, data: { held: 'waiting' } })
  const view = await viewWith(held, 60)
  await carryScaling(view, () => false)
  const [set] = await list(MS, held.namespace)
  expect(set!.spec?.replicas).toBe(3)
})
