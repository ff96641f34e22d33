import type { KubeObject } from '@/lib/kubernetes/types'
import { at } from '../fields'

const IN_PLACE = 'in-place-updates.internal.cluster.x-k8s.io'
const MOVE_TO = `${IN_PLACE}/move-machines-to-machineset`
const ACKNOWLEDGED = `${IN_PLACE}/acknowledged-move`
const PENDING_MOVE = `${IN_PLACE}/pending-acknowledge-move`

/** Moved to be updated in place, and out of service; it begins when its MachineDeployment has counted it. */
export const isMoved = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  metadata.annotations?.[PENDING_MOVE] !== undefined

/**
 * Whether workers of a MachineDeployment move from one MachineSet to another to be updated in place, and wait for it: chosen by
 * scaling their set down, or moved and not counted by the new one (machinedeployment_rollout_planner.go,
 * machineset_controller.go). Its controller paused in between, they hang.
 */
export function isMoving(sets: readonly KubeObject[], machines: readonly KubeObject[]): boolean {
  return sets.some((set) => {
    const { [MOVE_TO]: moves, [ACKNOWLEDGED]: counted = '' } = set.metadata.annotations ?? {}
    const own = machines.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid))
    const stays = own.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const isCounted = ({ metadata }: KubeObject) => counted.split(',').includes(metadata.name)
    const wanted = Number(at(set.spec, 'replicas') ?? 1)
    return (
      stays.some((machine) => isMoved(machine) && !isCounted(machine)) || (moves !== undefined && stays.length > wanted)
    )
  })
}
