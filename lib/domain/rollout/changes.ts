import type { SetPlan, SetState } from './types'

const IN_PLACE = 'in-place-updates.internal.cluster.x-k8s.io'

type Steering = Pick<SetState, 'revision' | 'moveTo' | 'receiveFrom' | 'acknowledged' | 'disableMachineCreate'>

/** The annotations that steer a rollout, in the order in which upstream names them. */
const STEERING: [key: string, value: (set: Steering) => string | undefined, read: (value: string) => Steering][] = [
  [
    'machinedeployment.clusters.x-k8s.io/revision',
    (set) => set.revision?.toString(),
    (value) => ({ revision: Number(value) }),
  ],
  [`${IN_PLACE}/move-machines-to-machineset`, (set) => set.moveTo, (moveTo) => ({ moveTo })],
  [
    `${IN_PLACE}/receive-machines-from-machinesets`,
    (set) => set.receiveFrom?.join(','),
    (value) => ({ receiveFrom: value.split(',') }),
  ],
  [
    `${IN_PLACE}/acknowledged-move`,
    (set) => set.acknowledged?.join(','),
    (value) => ({ acknowledged: value.split(',') }),
  ],
  [
    'cluster.x-k8s.io/disable-machine-create',
    (set) => set.disableMachineCreate?.toString(),
    (value) => ({ disableMachineCreate: value === 'true' }),
  ],
]

/** "key: value" of those that a MachineSet has. */
export const steeringOf = (set: Steering): string[] =>
  STEERING.flatMap(([key, value]) => (value(set) === undefined ? [] : [`${key}: ${value(set)}`]))

/** What such a text says, where it is one. */
export function readSteering(text: string): Steering | undefined {
  const own = STEERING.find(([key]) => text.startsWith(`${key}: `))
  return own && own[2](text.slice(own[0].length + 2))
}

/**
 * What a pass changes on a MachineSet that exists, as the controller logs it: replicas and the annotations that steer a
 * rollout (machinedeployment_rollout_planner.go, getMachineSetDiff).
 */
export function setChanges(before: SetState, plan: SetPlan): string[] {
  const changes = before.spec === plan.replicas ? [] : [`replicas ${plan.replicas}`]
  for (const [key, value] of STEERING) {
    const to = value(plan)
    if (value(before) !== to) changes.push(to === undefined ? `${key} removed` : `${key}: ${to}`)
  }
  return changes
}
