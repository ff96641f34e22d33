import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { POOL } from '@/lib/domain/latch/hold'
import { KubeError, type KubeClient, type KubeObject, type Resource } from '@/lib/kubernetes/types'
import { objectAt } from '@/lib/providers/cluster-api/changes'
import { changeSetOf } from '../changes/change-row'
import { groupResource } from '../changes/patch-for'
import { ServiceError } from '../errors'

/** A worker group as it is, and the machine set of its newest former revision. */
export interface Former {
  resource: Resource
  group: KubeObject
  set: KubeObject
}

/** The change whose group is to go back. */
export async function changeOfGoingBack(id: string): Promise<Change> {
  const change = await db().change.findUnique({ where: { id } })
  if (!change) throw new ServiceError('not-found', 'There is no such change.')
  if (change.groupKind === POOL)
    throw new ServiceError(
      'invalid',
      'A pool takes up what it is rendered from: write that as it was (its MachineConfigs, and the like).',
    )
  if (change.groupKind !== 'MachineDeployment')
    throw new ServiceError(
      'invalid',
      'What a control plane was before is kept nowhere: write its former state, and plan that.',
    )
  return change
}

/** What the group was before the change: the machine set that its machines come from keeps the template. */
export async function formerOf(client: KubeClient, change: Change): Promise<Former> {
  const { groupKind, groupName: name, namespace } = change
  const row = await db().group.findUnique({ where: { id: change.groupId }, select: { apiVersion: true } })
  const resource = groupResource(groupKind, row?.apiVersion ?? 'cluster.x-k8s.io/v1beta2')
  const read = (of: Resource, named: string) =>
    client.get(of, named, namespace).catch((error: unknown) => {
      if (error instanceof KubeError && error.code === 404) return null
      throw error
    })
  const group = await read(resource, name)
  const from = changeSetOf(change)
    .pairs.toSorted((a, b) => ((a.createdAt ?? '') < (b.createdAt ?? '') ? 1 : -1))
    .at(0)?.from
  const set = from ? await read({ ...resource, plural: 'machinesets' }, from) : null
  if (!group || group.metadata.uid !== change.groupId || !set)
    throw new ServiceError('not-found', `The former revision of ${name} is not there any more.`, {
      hint: 'Write its former state by hand, and plan that.',
    })
  return { resource, group: { ...group, apiVersion: `${resource.group}/${resource.version}`, kind: groupKind }, set }
}

/** What a group's machines are made from. */
export const machineSpec = (object: KubeObject): JsonObject => objectAt(object.spec, 'template', 'spec') ?? {}
