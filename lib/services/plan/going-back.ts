import { stringify } from 'yaml'
import { db } from '@/lib/db/client'
import type { Json, JsonObject } from '@/lib/domain/json'
import { isObject } from '@/lib/domain/changes'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { changeSetOf } from '../changes/change-row'
import { groupResource } from '../changes/patch-for'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { GetInput } from '../changes/schemas'

export interface GoingBack {
  clusterId: string
  /** The MachineDeployment as it is, with the template of its former revision: to be planned, and written by whom it belongs to. */
  manifests: string
}

/** Written by Cluster API itself: another revision has another one. */
const HASH = 'machine-template-hash'

/** What a worker group would have to be again to undo a change: the template that its newest former MachineSet still has. */
export async function goingBack(ctx: Ctx, input: unknown): Promise<GoingBack> {
  requirePermission(ctx, 'changes:plan')
  const { id } = parseInput(GetInput, input)
  const change = await db().change.findUnique({ where: { id } })
  if (!change) throw new ServiceError('not-found', 'There is no such change.')
  const { clusterId, groupKind, groupName: name, namespace } = change
  if (groupKind !== 'MachineDeployment')
    throw new ServiceError(
      'invalid',
      'What a control plane was before is kept nowhere: write its former state, and plan that.',
    )
  const row = await db().group.findUnique({ where: { id: change.groupId }, select: { apiVersion: true } })
  const client = await kubeClientFor(clusterId)
  const resource = groupResource(groupKind, row?.apiVersion ?? 'cluster.x-k8s.io/v1beta2')
  const gone = (error: unknown): null => {
    if (error instanceof KubeError && error.code === 404) return null
    throw error
  }
  const group = await client.get(resource, name, namespace).catch(gone)
  const former = changeSetOf(change)
    .pairs.toSorted((a, b) => ((a.createdAt ?? '') < (b.createdAt ?? '') ? 1 : -1))
    .at(0)?.from
  const sets = { ...resource, plural: 'machinesets' }
  const set = former ? await client.get(sets, former, namespace).catch(gone) : null
  if (!group || group.metadata.uid !== change.groupId || !set)
    throw new ServiceError('not-found', `The former revision of ${name} is not there any more.`, {
      hint: 'Write its former state by hand, and plan that.',
    })
  return { clusterId, manifests: stringify(asBefore(group, set)) }
}

function asBefore(group: KubeObject, set: KubeObject): JsonObject {
  const template = { ...(set.spec?.template as JsonObject) }
  const { metadata } = template
  if (isObject(metadata) && isObject(metadata.labels)) {
    const { [HASH]: _hash, ...labels } = metadata.labels as Record<string, Json>
    template.metadata = { ...metadata, labels }
  }
  const { name, namespace } = group.metadata
  return {
    ...{ apiVersion: group.apiVersion, kind: 'MachineDeployment' },
    metadata: { name, ...(namespace ? { namespace } : {}) },
    spec: { ...group.spec, template },
  }
}
