import { condition, conditionOf, type Wanted } from './conditions'
import { AS, writeConditions, type Env } from './env'
import type { Machine } from './kinds'
import { ANNOTATION, CONTROL_PLANES, DEV_MACHINES, HOST, LABEL, MACHINES } from './names'

const COMPONENTS = [
  ['EtcdPodHealthy', 'Running'],
  ['EtcdMemberHealthy', 'Healthy'],
  ['APIServerPodHealthy', 'Running'],
  ['ControllerManagerPodHealthy', 'Running'],
  ['SchedulerPodHealthy', 'Running'],
] as const

/** What the manager of control planes says; while it is paused, it says nothing else than before. */
export function byControlPlane(env: Env, machine: Machine, joined: boolean): Wanted[] {
  const { namespace, labels = {} } = machine.metadata
  const host = env.store.get(DEV_MACHINES, `${namespace}/${machine.spec.infrastructureRef.name}`)
  const ill = host?.metadata.annotations?.[HOST.etcdIll]
  const plane = env.store.get(CONTROL_PLANES, `${namespace}/${labels[LABEL.controlPlaneName]}`)
  const paused = plane?.metadata.annotations?.[ANNOTATION.paused] !== undefined
  const said = (type: string, reason: string): Wanted => {
    const before = conditionOf(machine, type)
    if (paused && before) return before as Wanted
    if (!joined) return condition(type, 'Unknown', 'InspectionFailed')
    return type === 'EtcdMemberHealthy' && ill !== undefined
      ? condition(type, false, 'NotHealthy', ill)
      : condition(type, true, reason)
  }
  return [said('NodeKubeadmLabelsAndTaintsSet', 'Set'), ...COMPONENTS.map(([type, reason]) => said(type, reason))]
}

/**
 * Looks at its members before anything is decided (kubeadmcontrolplane_controller.go, reconcileControlPlaneAndMachinesConditions): what it
 * finds is on them before its own preflight, and before anybody is asked.
 */
export async function lookAtMembers(env: Env, machines: readonly Machine[]): Promise<void> {
  for (const m of machines) {
    if (m.metadata.deletionTimestamp || !m.status?.nodeRef) continue
    await writeConditions(env, MACHINES, m, byControlPlane(env, m, true), AS.controlPlane)
  }
}
