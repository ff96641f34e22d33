import { stringify } from 'yaml'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { objectAt } from '@/lib/providers/cluster-api/changes'
import { GetInput } from '../changes/schemas'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { changeOfGoingBack, formerOf, machineSpec } from '../roll-back/former'

export interface GoingBack {
  changeId: string
  clusterId: string
  /** The MachineDeployment as it is, with the template of its former revision: to be planned, and written by whom it belongs to. */
  manifests: string
}

/** What a worker group would have to be again to undo a change: the template that its newest former MachineSet still has. */
export async function goingBack(ctx: Ctx, input: unknown): Promise<GoingBack> {
  requirePermission(ctx, 'changes:plan')
  const { id } = parseInput(GetInput, input)
  const change = await changeOfGoingBack(id)
  const { group, set } = await formerOf(await kubeClientFor(change.clusterId), change)
  return { changeId: id, clusterId: change.clusterId, manifests: stringify(asBefore(group, set)) }
}

function asBefore(group: KubeObject, set: KubeObject): JsonObject {
  const { name, namespace } = group.metadata
  return {
    ...{ apiVersion: group.apiVersion, kind: 'MachineDeployment' },
    metadata: { name, ...(namespace ? { namespace } : {}) },
    spec: { ...group.spec, template: { ...objectAt(group.spec, 'template'), spec: machineSpec(set) } },
  }
}
