import { nextOf } from './failure-domains'
import type { Candidate } from './priority'

export interface ControlPlaneMachine extends Candidate {
  failureDomain?: string
  upToDate: boolean
  /** Outdated only for reasons that an update in place could change; not marked for deletion or remediation. */
  eligible: boolean
  /** Control plane components (pods, etcd member) are healthy. */
  healthy: boolean
  /** Has no node (yet): keeps others waiting, and is none that is ill (filters.go, HasUnhealthyControlPlaneComponents). */
  joining?: boolean
}

export interface ControlPlaneState {
  replicas: number
  maxSurge: 0 | 1
  machines: ControlPlaneMachine[]
  /** Failure domains for control planes that the Cluster lists (status.failureDomains); absent: not known. */
  domains?: readonly string[]
  inPlaceUpdates: boolean
}

export type ControlPlaneStep =
  | { do: 'nothing' }
  | { do: 'create'; why: 'scale-up' | 'surge' }
  | { do: 'wait'; why: string }
  /** CanUpdateMachine has to be asked; call again with the answer. */
  | { do: 'ask'; machine: string }
  | { do: 'update'; machine: string }
  | { do: 'delete'; machine: string; why: 'scale-down' | 'outdated' }

/** One step of the KubeadmControlPlane controller. `answer` is the updater's word on the machine it was asked for. */
export function planControlPlane(
  state: ControlPlaneState,
  answer?: { machine: string; canUpdate: boolean },
): ControlPlaneStep {
  const { machines, replicas, domains } = state
  const updating = machines.find((m) => m.updating && !m.deleting)
  if (updating) return { do: 'wait', why: `${updating.name} is being updated in place` }
  const outdated = machines.filter((m) => !m.upToDate)
  if (outdated.length === 0) return scale(state)
  const wait = notSettled(machines)
  if (machines.length < replicas + state.maxSurge) {
    return wait ?? { do: 'create', why: machines.length < replicas ? 'scale-up' : 'surge' }
  }
  const machine = select(machines, domains)
  if (!machine) return { do: 'nothing' }
  const others = machines.filter((m) => m !== machine)
  const upToDate = machines.length - outdated.length
  if (state.inPlaceUpdates && machine.eligible && !machine.upToDate && upToDate < replicas) {
    const unsettled = notSettled(others)
    if (unsettled) return unsettled
    // An unhealthy candidate is not updated in place but replaced.
    if (machine.healthy && !machine.deleting) {
      if (answer?.machine !== machine.name) return { do: 'ask', machine: machine.name }
      if (answer.canUpdate) return { do: 'update', machine: machine.name }
    }
  }
  return notSettled(others) ?? remove(machine, 'outdated')
}

function scale({ machines, replicas, domains }: ControlPlaneState): ControlPlaneStep {
  if (machines.length === replicas) return { do: 'nothing' }
  if (machines.length < replicas) return notSettled(machines) ?? { do: 'create', why: 'scale-up' }
  const machine = select(machines, domains)
  if (!machine) return { do: 'nothing' }
  return notSettled(machines.filter((m) => m !== machine)) ?? remove(machine, 'scale-down')
}

const remove = (machine: ControlPlaneMachine, why: 'scale-down' | 'outdated'): ControlPlaneStep =>
  machine.deleting
    ? { do: 'wait', why: `${machine.name} is being deleted` }
    : { do: 'delete', machine: machine.name, why }

/** Preflight: one step at a time, and none while a member is going or not healthy. */
function notSettled(machines: ControlPlaneMachine[]): ControlPlaneStep | undefined {
  const deleting = machines.find((m) => m.deleting)
  if (deleting) return { do: 'wait', why: `${deleting.name} is being deleted` }
  const ill = machines.find((m) => !m.healthy)
  return ill && { do: 'wait', why: `${ill.name} is not healthy (a control plane component of it, or its etcd member)` }
}

/** The machine that a rollout or a scale down takes next. */
function select(
  machines: readonly ControlPlaneMachine[],
  domains: readonly string[] | undefined,
): ControlPlaneMachine | undefined {
  // One that is going already will be replaced: it is not outdated any more.
  const outdated = (m: ControlPlaneMachine) => !m.upToDate && !m.deleting
  const rules: ((m: ControlPlaneMachine) => boolean)[] = [
    (m) => outdated(m) && m.marked === true,
    (m) => m.marked === true,
    (m) => outdated(m) && !m.healthy && !m.joining,
    outdated,
    () => true,
  ]
  for (const rule of rules) {
    const candidates = machines.filter(rule)
    if (candidates.length > 0) return nextOf(candidates, machines, domains)
  }
  return undefined
}
