import type { SetPlan, SetState } from './types'

const IN_PLACE = 'in-place-updates.internal.cluster.x-k8s.io'

/**
 * What a pass changes on a MachineSet that exists, as the controller logs it: replicas and the annotations that steer a
 * rollout, in upstream's order (machinedeployment_rollout_planner.go, getMachineSetDiff).
 */
export function setChanges(before: SetState, plan: SetPlan): string[] {
  const changes: string[] = []
  if (before.spec !== plan.replicas) changes.push(`replicas ${plan.replicas}`)
  if (plan.revision !== undefined && plan.revision !== before.revision) {
    changes.push(`machinedeployment.clusters.x-k8s.io/revision: ${plan.revision}`)
  }
  const annotation = (key: string, from: string | undefined, to: string | undefined) => {
    if (from !== to) changes.push(to === undefined ? `${key} removed` : `${key}: ${to}`)
  }
  annotation(`${IN_PLACE}/move-machines-to-machineset`, before.moveTo, plan.moveTo)
  annotation(
    `${IN_PLACE}/receive-machines-from-machinesets`,
    before.receiveFrom?.join(','),
    plan.receiveFrom?.join(','),
  )
  annotation(`${IN_PLACE}/acknowledged-move`, before.acknowledged?.join(','), plan.acknowledged?.join(','))
  annotation(
    'cluster.x-k8s.io/disable-machine-create',
    before.disableMachineCreate?.toString(),
    `${plan.disableMachineCreate}`,
  )
  return changes
}
