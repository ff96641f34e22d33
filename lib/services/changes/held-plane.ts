import { explain } from '@/lib/domain/errors'
import type { ChangeDto } from './change-row'
import { blockedAmong, type Blocking } from './held-scaling'

/** Entries of lib/domain/errors by which new machines wait for their control plane. */
const WAITS_FOR_PLANE = new Set(['preflight-control-plane', 'preflight-version-differs'])
export const waitsForPlane = (trouble: string): boolean => WAITS_FOR_PLANE.has(trouble)

/** Of those that are stuck because new machines wait for their control plane: its change that Drydock holds, by their ids. */
export async function heldPlanes(
  changes: readonly Pick<ChangeDto, 'id' | 'state' | 'stuckReason' | 'groupKind'>[],
): Promise<Record<string, Blocking>> {
  const ids = changes.flatMap(({ id, state, stuckReason, groupKind }) =>
    state === 'stuck' && groupKind === 'MachineDeployment' && stuckReason && isOfPlane(stuckReason) ? [id] : [],
  )
  return Object.fromEntries(await blockedAmong(ids))
}

function isOfPlane(message: string): boolean {
  const known = explain({
    ...{ api: 'cluster.x-k8s.io', infrastructure: null, condition: null, reason: null },
    message,
  })
  return known !== null && waitsForPlane(known.entry.id)
}
