import { planControlPlane, type ControlPlaneMachine, type ControlPlaneState } from '../control-plane'
import { domainForNew } from '../failure-domains'
import { Clock, isWork } from './clock'
import { AT_ONCE, Course } from './course'
import type { Draw, Forecast, Gap } from './types'

export interface ControlPlaneInput extends Omit<ControlPlaneState, 'inPlaceUpdates'> {
  /** Machines for which the updaters cover everything, and that were (or would be) approved in place. */
  canUpdate: ReadonlySet<string>
  /** Machines that are being made already. */
  coming?: ReadonlySet<string>
  now: number
}

/** Plays the rollout of a KubeadmControlPlane forward: one step at a time, each when the one before has settled. */
export function forecastControlPlane(input: ControlPlaneInput, draw: Draw, gap: Gap = AT_ONCE): Forecast {
  const { replicas, maxSurge, canUpdate } = input
  const machines = new Map(input.machines.map((machine) => [machine.name, { ...machine }]))
  const clock = new Clock()
  // Without a surge machine the one that is changed is missing meanwhile.
  const course = new Course(clock, draw, Math.max(0, replicas - (maxSurge === 0 ? 1 : 0)), input.machines.length, gap)
  const making = new Set<string>()
  for (const machine of machines.values()) {
    if (machine.deleting) course.begin(machine.name, 'delete')
    else if (machine.updating) course.begin(machine.name, 'update')
    else if (input.coming?.has(machine.name)) {
      making.add(machine.name)
      // Nothing else begins before it is up; that it is not makes it no candidate (HasUnhealthyControlPlaneComponents).
      Object.assign(machine, { healthy: false, joining: true })
      course.begin(machine.name, 'create')
    }
  }
  const frame = () => {
    const available = [...machines.values()].filter(
      (m) => m.healthy && !m.updating && !m.deleting && !making.has(m.name),
    )
    course.frame(available.length, machines.size, available.filter((m) => m.upToDate).length)
  }
  frame()
  let looking = !course.pause()
  for (let made = 0; ;) {
    const step = looking ? stepOf({ ...input, machines: [...machines.values()] }, canUpdate) : undefined
    if (step?.do === 'create') {
      const name = `m${++made}`
      machines.set(name, newMachine(name, input.now + clock.now, domainForNew([...machines.values()], input.domains)))
      making.add(name)
      course.begin(name, 'create')
    } else if (step?.do === 'update') {
      machines.get(step.machine)!.updating = true
      course.begin(step.machine, 'update')
    } else if (step?.do === 'delete') {
      machines.get(step.machine)!.deleting = true
      making.delete(step.machine)
      course.begin(step.machine, 'delete')
    }
    frame()
    if (step?.do === 'nothing' && making.size === 0) return course.over()
    const due = clock.next()
    if (due.length === 0)
      return course.over(
        step?.do === 'wait' ? `No other machine begins before that is over: ${step.why}.` : 'Nothing moves.',
      )
    const ended = due.filter(isWork)
    looking = ended.length < due.length || !course.pause()
    for (const { machine, work } of ended) {
      if (work === 'delete') machines.delete(machine)
      else if (work === 'create') {
        if (making.delete(machine)) Object.assign(machines.get(machine)!, { healthy: true, joining: false })
      } else if (machines.has(machine)) Object.assign(machines.get(machine)!, { updating: false, upToDate: true })
    }
  }
}

function stepOf(state: Omit<ControlPlaneState, 'inPlaceUpdates'>, canUpdate: ReadonlySet<string>) {
  const asking = { ...state, inPlaceUpdates: true }
  const step = planControlPlane(asking)
  return step.do === 'ask'
    ? planControlPlane(asking, { machine: step.machine, canUpdate: canUpdate.has(step.machine) })
    : step
}

const newMachine = (name: string, createdAt: number, failureDomain: string | undefined): ControlPlaneMachine => ({
  ...{ name, createdAt, upToDate: true, eligible: false, healthy: false },
  ...(failureDomain === undefined ? {} : { failureDomain }),
})
